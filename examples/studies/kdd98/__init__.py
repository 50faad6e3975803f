"""Letters to donors, with profits: the studies of KDD-98."""
