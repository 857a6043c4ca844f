"""Getting data sets: the routes to them, their preparation, and what the command ``marginloss data`` prints."""

from marginloss.companion.data.fetching import fetch
