"""Stories of the gallery, and the studies, which run from the root of a checkout."""
