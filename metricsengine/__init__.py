"""metricsengine measures how faithfully language models simulate people.

This package is the host: contracts and machinery. Whatever knows a concrete model, study or metric is a plugin,
found through the entry-point group ``metricsengine`` (see :mod:`metricsengine.hookspecs`).
"""

from pluggy import HookimplMarker

__version__ = "0.1.0"

hookimpl = HookimplMarker("metricsengine")
"""Marks the functions by which a plugin answers the hooks of :mod:`metricsengine.hookspecs`."""

__all__ = ["__version__", "hookimpl"]
