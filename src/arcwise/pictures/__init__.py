"""Pictures of networks, searches and arc strengths."""
