"""Room `search`: the highest loads that a data plane takes, by trials on any engine."""
