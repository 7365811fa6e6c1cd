"""From tensor operations to loop nests: facts about arrays, lifetimes, index ranges, fusion, and a readable print."""
