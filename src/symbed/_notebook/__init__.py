r"""HTML and LaTeX of results, for notebook cells.

Results are taken by their fields, whatever their class, because this room stands above them all.
Every text of a user's is escaped. The HTML carries its own styles, inline, and works on dark and
light pages; no script, nothing loaded from elsewhere. The picture of a result is folded below its
table, where matplotlib is installed and the result alone tells what to draw.
"""
