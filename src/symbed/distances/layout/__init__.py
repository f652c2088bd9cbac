"""Places in the plane for expressions: near means alike."""
