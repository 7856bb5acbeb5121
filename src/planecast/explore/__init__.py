"""Room `explore`: a local what-if page over the calibrated model, in the browser."""
