"""A page to play with: masses, combination, conflict, and the decisions of a calibrator."""
