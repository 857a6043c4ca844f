"""Getting data sets, and what the command ``marginloss data`` prints."""
