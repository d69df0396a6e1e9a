"""Language models, and what stands for one: behind litellm, by rule, or scripted.

Importing this package imports no provider's library.
"""

from __future__ import annotations

from pi_notebook.models.registry import check_name, get_model, model_names, needs_litellm

__all__ = ["check_name", "get_model", "model_names", "needs_litellm"]
