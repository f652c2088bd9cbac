"""The explorer: a local web page that shows how formulas behave. ``symbed explore`` starts it.

Requests pass the guard (who asks?), become questions (what is asked?), are answered in a worker
thread within limits, and leave as JSON that the page draws.
"""
