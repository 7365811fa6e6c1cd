"""What has a length and an item at each index, iterators over it, and what all containers share."""
