"""Room `engines`: three ways to answer a scenario. measure, solve, simulate."""
