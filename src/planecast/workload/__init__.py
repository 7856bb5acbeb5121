"""What a data plane does with a packet, free of machines: stages, and what a trace found of them."""
