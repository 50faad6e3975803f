"""Coverage of the true probability by [Bel, Pl]: what the intervals of each model promise."""
