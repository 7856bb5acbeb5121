"""Workload × machine → cost: by stage and cause; fitted, predicted, transferred."""
