"""The kinds of data plane that a scenario can name, a file each, with the keys that each has."""
