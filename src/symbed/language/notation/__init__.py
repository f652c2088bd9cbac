"""How expressions are written down: infix, Polish notation, LaTeX, MathML; read and printed."""
