"""Measurements, printed as one JSON line each: `python -m benchmarks [NAME ...]`, or `make bench`."""
