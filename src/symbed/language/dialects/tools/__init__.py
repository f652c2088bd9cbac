"""The tools, each a row or a few similar ones with what their texts need beside the common reader.

``tool_table.TOOLS`` loads a module when one of its tools is asked for.
"""
