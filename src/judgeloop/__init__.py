"""Verifies what AI agents decide: one sealed graph, the machine's checks first, one verdict with its reasons."""
