"""Files of other tools: models written for them, and theirs read."""
