"""Figures: one a file, each a function from results to a Plotly figure.

A function gives None when there is nothing to draw. Titles and captions belong to the page: text in
HTML is never clipped, and can be copied.
"""
