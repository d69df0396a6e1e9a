"""How long tests wait for what is to come at once, on a machine that may have much else to do."""

SOON = 10.0
"""Seconds in which a thing ends, however busy the machine, that would last half a minute by itself."""
