"""From a query and a corpus to ranked documents."""
