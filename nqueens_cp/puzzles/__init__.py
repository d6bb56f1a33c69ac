"""Region puzzles: one queen (or two, or three) in each row, column and region, none touching."""
