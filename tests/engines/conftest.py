"""Tests with engines that want an environment of their own: `make test-engines` makes it."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("pyspark") else ["test_*.py"]
