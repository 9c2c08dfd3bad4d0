"""What a skill's delegated steps really did: the flag that marks them, the record, the report. Local only."""
