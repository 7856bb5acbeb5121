"""What a machine does, one mechanism a file, free of any workload."""
