"""One descriptor a stage: what it touches, and how."""
