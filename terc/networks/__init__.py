"""Small networks in plain numpy, one per fold trained side by side."""
