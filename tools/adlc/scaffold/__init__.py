"""What `adlc init` puts into a project, and what it leaves alone there."""
