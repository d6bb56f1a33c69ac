"""Pictures: sheets of boards as SVG, PNG and PDF, and heat maps. A drawing is described once, and written in each format."""
