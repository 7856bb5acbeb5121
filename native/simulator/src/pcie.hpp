// What a PCIe link lets through, in time a packet (64-bit headers).
//
// Write of s bytes: ⌈s/MPS⌉·24 + s. Read: ⌈s/MRRS⌉·24 towards memory, ⌈s/MPS⌉·20 + s back.
// Data rate: raw·(1 − 8/control − 8/control − 4/1538). Neugebauer et al., SIGCOMM'18.
#pragma once

#include "planecast/simulator/nic_model.hpp"

namespace planecast::sim
{

// Bytes on the link's two directions that one packet costs.
struct PcieCost {
    double to_memory = 0;
    double from_memory = 0;
};

double pcie_data_rate_bps(const Pcie &link);
PcieCost pcie_write(const Pcie &link, double bytes);
PcieCost pcie_read(const Pcie &link, double bytes);

// Seconds that the link needs for a frame received, and for one sent, when every frame that comes
// in goes out again: the two share the link, so either is spaced by what both of them transfer.
struct PcieTimes {
    double receive = 0;
    double send = 0;
};
PcieTimes pcie_times(const Pcie &link, double frame_bytes);

} // namespace planecast::sim
