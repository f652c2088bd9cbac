"""Result files of benchmarks and tools, and their rows judged."""
