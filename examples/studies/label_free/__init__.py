"""Fusion without labels: `Consensus` beside pools, votes and Dawid-Skene."""
