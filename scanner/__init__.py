"""Padscore: read filled-in paper game sheets from photos, score them and say what is wrong."""

__version__ = "0.1.0"
