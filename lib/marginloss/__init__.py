"""Losses of the margin: how much weight does an example get, given how well it is handled?"""

__version__ = "0.1.0"
