"""What several studies are made of: samples, classifiers, protocols and measures."""
