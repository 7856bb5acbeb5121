"""Room `partition`: a machine divided among a data plane, its control, VMs and neighbours."""
