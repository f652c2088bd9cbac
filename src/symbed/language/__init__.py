"""The language: text, token lists and LaTeX on the outside, immutable expressions inside.

``parser.parse`` reads; ``printers`` and ``typesetting`` write; ``differentiation`` has derivatives.
All of them share the rows of ``operators`` and the one flat tree of ``expression``, and none of
them recurses or evaluates.
"""
