"""The built-in offline model: no key, no network, and not a language model.

It explores data by rule through the ordinary loop: it looks at the variables, runs short pandas or
polars cells, and reports the numbers they gave. What it cannot do by rule it says.
"""

from pi_notebook.models.offline.model import OfflineModel

__all__ = ["OfflineModel"]
