"""Networks and data to try things on: well-known networks, random ones, and simulators."""
