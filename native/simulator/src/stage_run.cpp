#include "stage_run.hpp"

#include <algorithm>

namespace planecast::sim
{

StageRun::StageRun(const Stage &stage, double ps_per_cycle)
    : model(stage), ps_per_cycle_(ps_per_cycle), burst_(stage.burst_cycles),
      packet_(stage.packet_cycles),
      meters_(stage.policer_rate > 0 ? stage.policer_meters : 0, Meter{stage.policer_burst, 0})
{
    for (const Drop &drop : stage.drops) {
        drops.push_back(
            {drop.cause, Bernoulli(drop.probability), drop.extra_cycles * ps_per_cycle});
    }
    if (stage.policer_rate > 0 && !stage.policer_class_meters.empty()) {
        std::size_t count = 0;
        for (std::uint64_t own : stage.policer_class_meters) {
            first_meter_.push_back(count);
            count += own;
        }
        meters_.assign(count, Meter{stage.policer_burst, 0});
    }
}

void StageRun::number_classes(const std::vector<std::string> &names)
{
    for (std::size_t i = 0; i < drops.size(); ++i) {
        auto known = std::find(names.begin(), names.end(), model.drops[i].flow_class);
        drops[i].flow_class =
            known == names.end() ? kEveryClass : static_cast<int>(known - names.begin());
    }
}

bool StageRun::plain() const
{
    bool drops_some = std::any_of(drops.begin(), drops.end(),
                                  [](const DropRule &rule) { return rule.chance.possible(); });
    return burst_.constant() && packet_.constant() && model.new_flow_cycles == 0 && !drops_some &&
           model.policer_rate == 0 && model.accelerator.empty();
}

double StageRun::serve(Packet *batch, std::size_t &count, Ps now, Random &random)
{
    double cycles = burst_.draw(random);
    if (packet_.constant()) {
        cycles += packet_.mean() * static_cast<double>(count);
    } else {
        for (std::size_t i = 0; i < count; ++i) {
            cycles += packet_.draw(random);
        }
    }
    if (model.new_flow_cycles > 0) {
        for (std::size_t i = 0; i < count; ++i) {
            cycles += model.new_flow_cycles * batch[i].opens_flow;
        }
    }
    double cost = cycles * ps_per_cycle_ + table_ps(count);
    ++bursts;
    packets += count;
    for (DropRule &rule : drops) {
        cost += drop_some(rule, batch, count, random);
    }
    if (!meters_.empty()) {
        police(batch, count, now, random);
    }
    cost_ps += cost;
    return cost;
}

double StageRun::drop_some(DropRule &rule, Packet *batch, std::size_t &count, Random &random)
{
    std::size_t kept = 0;
    std::size_t looked_at = 0;
    std::uint64_t before = rule.count;
    if (rule.flow_class != kEveryClass) {
        for (std::size_t i = 0; i < count; ++i) {
            std::size_t hits = 0;
            if (batch[i].flow_class == rule.flow_class) {
                rule.chance.each(1, random, [&hits](std::size_t) { ++hits; });
            }
            rule.count += hits;
            batch[kept] = batch[i];
            kept += 1 - hits;
        }
        count = kept;
        return static_cast<double>(rule.count - before) * rule.extra_ps;
    }
    rule.chance.each(count, random, [&](std::size_t i) {
        kept =
            static_cast<std::size_t>(std::copy(batch + looked_at, batch + i, batch + kept) - batch);
        looked_at = i + 1;
        ++rule.count;
    });
    if (looked_at > 0) {
        count = static_cast<std::size_t>(std::copy(batch + looked_at, batch + count, batch + kept) -
                                         batch);
    }
    return static_cast<double>(rule.count - before) * rule.extra_ps;
}

// Token buckets in bytes: with CIR = PIR and CBS = PBS a two-rate three-colour meter's red is what
// one bucket refuses, for packets that come green or yellow (RFC 2698, 2.3).
void StageRun::police(Packet *batch, std::size_t &count, Ps now, Random &random)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
        std::size_t first = 0;
        std::size_t count_of = meters_.size();
        if (!first_meter_.empty()) {
            first = first_meter_[batch[i].flow_class];
            count_of = model.policer_class_meters[batch[i].flow_class];
        }
        auto meters = static_cast<std::uint32_t>(count_of);
        Meter &meter = meters_[first + (meters > 1 ? random.below(meters) : 0)];
        double gained = static_cast<double>(now - meter.at) * 1e-12 * model.policer_rate;
        meter.tokens = std::min(model.policer_burst, meter.tokens + gained);
        meter.at = now;
        double bytes = std::max(0.0, batch[i].frame_bytes - model.policer_header_bytes);
        if (meter.tokens >= bytes) {
            meter.tokens -= bytes;
            batch[kept++] = batch[i];
        }
    }
    policed += count - kept;
    count = kept;
}

} // namespace planecast::sim
