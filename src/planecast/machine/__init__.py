"""What a machine does with a workload, one mechanism a file: equation, source, parameters."""
