// A stage at work: what a burst costs in it, and which packets end there.
#pragma once

#include "bernoulli.hpp"
#include "device.hpp"
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

    // Constant cost, no drops, no look at packets: a burst of n always costs base_ps(1, n) +
    // table_ps(n).
    bool plain() const;
    // Of so many bursts with so many packets together, without the table.
    double base_ps(double all_bursts, double all_packets) const
    {
        return all_bursts * (burst_.mean() * ps_per_cycle_) +
               all_packets * (packet_.mean() * ps_per_cycle_);
    }
    double table_ps(std::size_t count) const // of a burst of so many, 0 < count
    {
        const std::vector<double> &table = model.cycles_by_burst;
        return table.empty() ? 0 : table[count - 1] * ps_per_cycle_;
    }

    const Stage &model;
    Device *device = nullptr; // the core waits for it after this stage's cycles

    struct DropRule {
        std::string cause;
        Bernoulli chance;
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
    struct Meter {
        double tokens; // at `at`
        Ps at;
    };
    std::vector<Meter> meters_;
    std::vector<std::size_t> first_meter_; // by class; empty: all are every class's
};

} // namespace planecast::sim
