"""One module a verb: reads the arguments, calls the rooms, hands the answer to output."""
