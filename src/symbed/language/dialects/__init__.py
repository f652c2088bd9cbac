"""The dialects: other tools' formulas go in and come out, with what they mean there.

A tool is a row (``tool.Tool``): its index base, what its ``log`` means, which of its functions are
protected, how it treats constants, and the words it uses. ``registry.TOOLS`` lists them;
``reading`` and ``writing`` work with any row. ``symbed.language.parser.parse`` and
``Expression.to`` are the ways in and out.
"""
