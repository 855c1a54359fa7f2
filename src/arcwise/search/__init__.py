"""Searches: over graphs, and later over orders, classes, trees and exactly."""
