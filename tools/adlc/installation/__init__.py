"""What install.sh does: puts adlc into one user's home, and takes it out again without a trace.

Standard library only: it runs before there is an environment.
"""
