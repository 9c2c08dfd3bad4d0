"""What a session is told unasked: where the specs are, which govern a prompt, which claim an edited file."""
