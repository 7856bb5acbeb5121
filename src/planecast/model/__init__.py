"""What performance follows from, a mechanism a file, in closed form and without measuring.

Clock domains, hyper-threads, shared caches and memory, many cores under ceilings, packets over
PCIe, generations of cores. `engines` and `reproduce` put numbers of the catalogue into them.
"""
