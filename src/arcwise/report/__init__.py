"""A run as one page for the browser, which needs nothing but itself."""
