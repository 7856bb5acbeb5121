#include "pcie.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::sim
{

namespace
{

PcieCost operator+(const PcieCost &a, const PcieCost &b)
{
    return {a.to_memory + b.to_memory, a.from_memory + b.from_memory};
}

PcieCost operator/(const PcieCost &a, double by)
{
    return {a.to_memory / by, a.from_memory / by};
}

} // namespace

double pcie_data_rate_bps(const Pcie &link)
{
    const double each = 8 / link.control_every_bytes;
    return link.raw_bps * (1 - each - each - 4.0 / 1538);
}

PcieCost pcie_write(const Pcie &link, double bytes)
{
    double packets = std::ceil(bytes / static_cast<double>(link.max_payload_bytes));
    return {packets * 24 + bytes, 0};
}

PcieCost pcie_read(const Pcie &link, double bytes)
{
    double requests = std::ceil(bytes / static_cast<double>(link.max_read_bytes));
    double completions = std::ceil(bytes / static_cast<double>(link.max_payload_bytes));
    return {requests * 24, completions * 20 + bytes};
}

PcieTimes pcie_times(const Pcie &link, double frame_bytes)
{
    if (link.raw_bps == 0) {
        return {};
    }
    auto batch = static_cast<double>(link.descriptors_at_once);
    double descriptors = static_cast<double>(link.descriptor_bytes) * batch;
    PcieCost descriptor = (pcie_read(link, descriptors) + pcie_write(link, descriptors)) / batch;
    PcieCost receive = pcie_write(link, frame_bytes) + descriptor;
    PcieCost send = pcie_read(link, frame_bytes) + descriptor;

    double bytes_per_second = pcie_data_rate_bps(link) / 8;
    auto seconds = [&](const PcieCost &own, const PcieCost &twin) {
        // A packet that is received is sent as well: its twin's bytes use the same direction.
        return std::max(own.to_memory + twin.to_memory, own.from_memory + twin.from_memory) /
               bytes_per_second;
    };
    return {seconds(receive, send), seconds(send, receive)};
}

} // namespace planecast::sim
