"""How a draw carries true values to published ones: by two numbers a and b_s, or by a whole matrix."""
