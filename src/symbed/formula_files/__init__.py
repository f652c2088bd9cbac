"""The formulas of any tool's result file or table, with what the file says of each.

Library, command line and page all read here. A source is listed first (which texts, at which
lines, with which columns beside them) and then read in the dialect of the tool that wrote it, all
at once or one after the other. A text that our own language reads the same stays as it was written,
so that results show it so.
"""
