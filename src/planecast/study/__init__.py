"""Room `study`: measured, calibrated, predicted, measured again, compared."""
