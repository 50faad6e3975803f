"""Conformal beliefs on real data: how often they reject the truth, alone and fused."""
