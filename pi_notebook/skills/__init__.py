"""Texts in files that tell an agent how to work: skills, instructions of a folder, prompt templates.

They are found, checked and listed here. Nothing is written, nothing in them is run, and whether a
folder is trusted is decided above. This package imports nothing of ours.
"""
