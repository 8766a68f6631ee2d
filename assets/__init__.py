"""The lineage: profile, synthesis, training, evaluation, each by round."""
