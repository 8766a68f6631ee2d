"""Executable training environments for AI coworkers: generate, validate, repair, train, score."""

__version__ = "0.1.0"
