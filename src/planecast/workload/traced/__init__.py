"""Traced programs: re-use distances of their data references, by stage."""
