// A bounded record of what cores did, in Chrome's trace format: Perfetto's viewer opens it.
#pragma once

#include "time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

struct TraceEvent {
    Ps start;
    Ps duration; // −1: a counter, `count` its value
    std::uint32_t core;
    std::uint32_t task;
    std::uint64_t count; // packets
};

class Trace
{
  public:
    explicit Trace(std::uint64_t limit) : limit_(limit) {}

    void burst(Ps start, Ps duration, std::uint32_t core, std::size_t task, std::uint64_t count)
    {
        add({start, duration, core, static_cast<std::uint32_t>(task), count});
    }
    void waiting(Ps start, std::uint32_t core, std::size_t task, std::uint64_t count)
    {
        add({start, -1, core, static_cast<std::uint32_t>(task), count});
    }

    std::vector<TraceEvent> events;
    std::uint64_t left_out = 0;

  private:
    void add(const TraceEvent &event)
    {
        if (events.size() < limit_) {
            events.push_back(event);
        } else {
            ++left_out;
        }
    }
    std::uint64_t limit_;
};

struct TraceNames {
    std::string core;
    std::vector<std::string> tasks;
};

// The earliest `limit` events of all groups; what doesn't fit is added to left_out.
std::string trace_json(std::vector<TraceEvent> events, const std::vector<TraceNames> &names,
                       std::uint64_t limit, std::uint64_t &left_out);

} // namespace planecast::sim
