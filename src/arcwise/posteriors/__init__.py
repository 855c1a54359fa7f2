"""Posterior probabilities of arcs and other features of graphs: summed exactly, or from chains of graphs."""
