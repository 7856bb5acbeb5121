#include "frame_times.hpp"

#include "pcie.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::sim
{

namespace
{

// Rounded up: a limit is never exceeded by the fraction of a picosecond.
Ps at_least(double seconds)
{
    double ps = std::ceil(seconds * 1e12 - 1e-6);
    return ps < static_cast<double>(kNever) ? static_cast<Ps>(ps) : kNever;
}

double period(double limit_pps)
{
    return limit_pps > 0 ? 1 / limit_pps : 0;
}

double wire_seconds(const Port &port, std::size_t bytes)
{
    return port.line_rate_bps > 0
               ? static_cast<double>((bytes + port.overhead_bytes) * 8) / port.line_rate_bps
               : 0;
}

template <class Seconds> std::vector<Ps> table(std::size_t largest_frame, Seconds seconds)
{
    std::vector<Ps> times(largest_frame + 1);
    for (std::size_t bytes = 0; bytes <= largest_frame; ++bytes) {
        times[bytes] = at_least(seconds(bytes));
    }
    bool none = std::all_of(times.begin(), times.end(), [](Ps time) { return time == 0; });
    return none ? std::vector<Ps>{} : times;
}

} // namespace

Ps limit_period(double limit_pps)
{
    return at_least(period(limit_pps));
}

std::vector<Ps> wire_times(const Port &port, std::size_t largest_frame)
{
    return table(largest_frame, [&](std::size_t bytes) { return wire_seconds(port, bytes); });
}

std::vector<Ps> tx_wire_times(const Port &port, std::size_t largest_frame)
{
    return table(largest_frame, [&](std::size_t bytes) {
        return std::max(wire_seconds(port, bytes), period(port.tx_limit_pps));
    });
}

std::vector<Ps> rx_engine_times(const Nic &nic, std::size_t largest_frame)
{
    return table(largest_frame, [&](std::size_t bytes) {
        return std::max(period(nic.rx_limit_pps),
                        pcie_times(nic.pcie, static_cast<double>(bytes)).receive);
    });
}

std::vector<Ps> tx_engine_times(const Nic &nic, std::size_t largest_frame)
{
    return table(largest_frame, [&](std::size_t bytes) {
        return std::max(period(nic.tx_limit_pps),
                        pcie_times(nic.pcie, static_cast<double>(bytes)).send);
    });
}

} // namespace planecast::sim
