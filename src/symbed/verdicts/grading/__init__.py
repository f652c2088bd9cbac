"""Answers that people and language models wrote, judged in a process with limits."""
