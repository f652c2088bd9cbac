"""What every picture is drawn with: figures, axes, colors, labels, looks along one variable."""
