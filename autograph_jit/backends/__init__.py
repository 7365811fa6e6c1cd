"""What turns a graph into something that runs: the protocol, and one package for each machine."""
