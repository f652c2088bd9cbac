"""The commands, one module each in rooms like those of the library: arguments, run, ``COMMAND``."""
