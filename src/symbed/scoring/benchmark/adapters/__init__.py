"""Adapters of methods that ship: one file each, run by whichever Python has the method's package.

An adapter is a class with ``fit(X, y)`` and ``formulas()``. ``fit`` may take ``variables``,
``seconds`` and ``seed``; ``formulas`` gives texts, or mappings with ``formula`` and perhaps
``loss`` and ``complexity``, the method's answer first. ``dialect`` says whose formulas they are.
The folder is on the path of whoever runs an adapter, so ``pareto_front`` is there for all.
"""
