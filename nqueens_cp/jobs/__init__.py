"""Long counts: independent jobs whose results can be stored, checked, and counted anywhere."""
