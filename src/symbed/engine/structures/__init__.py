"""What travels to an engine: the arguments of its kernels as named structures, each defined once.

``symbed.engine._layouts`` says how the native core sees them; the NumPy engine takes them as they
are. Kernels trust what is in them, except where a wrong array could harm memory.
"""
