"""Workload × machine → cost: what a packet takes by stage and cause, fitted, predicted, transferred."""
