"""What a data plane does with a packet, free of machines: stage maps and traced programs."""
