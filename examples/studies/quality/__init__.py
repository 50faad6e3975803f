"""How far calibrators are from a known truth."""
