"""Keeps the progress bars and notices of the model libraries out of our own output."""

from __future__ import annotations

import logging
import warnings


def quiet_libraries() -> None:
    """Silences transformers' bars and notices; its errors still come as exceptions."""
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    transformers_logging.set_verbosity_error()
    logging.getLogger("accelerate").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", category=FutureWarning, module="transformers")
