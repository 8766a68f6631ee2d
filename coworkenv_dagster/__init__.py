"""Executable training environments for AI coworkers: generate, validate, repair, train, score."""
