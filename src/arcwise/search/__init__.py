"""Searches: over graphs, orders, classes and trees, and exactly; imports among them go one way, see architecture.md."""
