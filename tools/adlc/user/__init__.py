"""What the user says about every project: one configuration file, read exactly or refused."""
