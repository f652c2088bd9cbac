"""The dialects of other tools: their formulas are read and written with what they mean there.

A tool is a row (``tool_table.Tool``): its index base, what its ``log`` means, which of its
functions are protected, how it treats constants, and the words it has beside those that the table
of operators lists for it. ``tool_table.TOOLS`` finds them by name; ``reader`` and ``writer`` work
with any row. ``symbed.language.parser.parse`` and ``Expression.to`` are the ways in and out.
"""
