"""What a data plane does with a packet, free of any machine: instructions and memory touches."""
