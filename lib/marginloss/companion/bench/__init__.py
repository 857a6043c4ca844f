"""All learners on one bench: the same tables, the same corruptions, the same choice among six settings."""
