"""Xu, Davoine, Zha and Denoeux (2016): fusion of calibrated classifiers."""
