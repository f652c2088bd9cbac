"""The commands, one module each: its arguments, what it runs, and its row ``COMMAND``."""
