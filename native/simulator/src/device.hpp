// An accelerator: engines that serve in turn, then a latency that overlaps with others.
#pragma once

#include "planecast/simulator/core_model.hpp"
#include "random.hpp"
#include "sampler.hpp"
#include "time.hpp"

#include <algorithm>
#include <vector>

namespace planecast::sim
{

class Device
{
  public:
    Device(const Accelerator &model, std::uint64_t seed)
        : packet_ns_(model.packet_ns), latency_(ps_from_ns(model.latency_ns)), free_(model.servers),
          random_(seed)
    {
    }

    // When a packet that is submitted now comes back; results keep the order of submission.
    Ps submit(Ps now)
    {
        auto engine = std::min_element(free_.begin(), free_.end());
        *engine = later(std::max(now, *engine), ps_from_ns(packet_ns_.draw(random_)));
        last_ = std::max(last_, later(*engine, latency_));
        return last_;
    }

  private:
    Sampler packet_ns_;
    Ps latency_;
    std::vector<Ps> free_;
    Random random_;
    Ps last_ = 0;
};

} // namespace planecast::sim
