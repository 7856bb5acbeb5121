"""What verbs print, as sheets; imports neither verbs nor shared."""
