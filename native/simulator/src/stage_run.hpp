// A stage at work: what a burst costs in it, and which packets end there.
#pragma once

#include "device.hpp"
#include "occasion.hpp"
#include "packet.hpp"
#include "planecast/simulator/core_model.hpp"
#include "sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

class StageRun
{
  public:
    StageRun(const Stage &model, double ps_per_cycle);

    // Cost in picoseconds; removes the packets that are dropped and lowers `count`.
    double serve(Packet *packets, std::size_t &count, Ps now, Random &random);

    // Constant cost, no drops: a burst of n costs burst_ps() + n·packet_ps(), see TaskRun.
    bool plain() const;
    double burst_ps() const { return burst_.mean() * ps_per_cycle_; }
    bool uses_memory() const
    {
        return model.llc_accesses > 0 || !model.llc_waits.empty() || !model.memory_waits.empty();
    }
    double packet_ps() const { return packet_.mean() * ps_per_cycle_ + memory_ps; }

    const Stage &model;
    double memory_ps = 0;     // a packet's wait for LLC and memory, from the memory model
    Device *device = nullptr; // the core waits for it after this stage's cycles

    struct DropRule {
        std::string cause;
        Occasion occasion;
        double extra_ps;
        int flow_class = kEveryClass;
        std::uint64_t count = 0;
    };
    static constexpr int kEveryClass = -1;
    void number_classes(const std::vector<std::string> &names); // those that rules name
    std::vector<DropRule> drops;
    std::uint64_t policed = 0;
    std::uint64_t packets = 0;
    std::uint64_t bursts = 0;
    double cost_ps = 0; // so far

  private:
    double drop_some(DropRule &rule, Packet *packets, std::size_t &count, Random &random);
    void police(Packet *packets, std::size_t &count, Ps now, Random &random);

    double ps_per_cycle_;
    Sampler burst_;
    Sampler packet_;
    Occasion slow_path_;
    struct Meter {
        double tokens; // at `at`
        Ps at;
    };
    std::vector<Meter> meters_;
    std::vector<std::size_t> first_meter_; // by class; empty: all are every class's
};

} // namespace planecast::sim
