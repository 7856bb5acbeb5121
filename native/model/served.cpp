#include "served.hpp"

#include "cache_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace planecast::model
{

namespace
{

constexpr int kMostRounds = 60;
constexpr double kLeastStep = 1e-9; // of a time: a shorter one has no slope
constexpr double kMostTurn = -0.7;  // of a step's slope, by what the cost falls

// Some scenarios behind one cache after the other.
class Block
{
  public:
    Block(const Touched &all, const Asked &asked, unsigned shape)
        : all_(all), burst_waits_(asked, all.regions), shape_(shape), own_(all.regions),
          everyone_(all.regions), touches_(all.regions), own_crowding_(all.regions),
          all_crowding_(all.regions), together_(all.regions), near_(all.regions), far_(all.regions),
          memory_(all.regions), missed_(all.regions), first_(all.regions), private_(all.regions),
          kept_(all.regions), in_steps_(all.regions), sharing_(all.regions, all.cyclic)
    {
        for (std::size_t region = 0; region < all.regions; ++region)
            if (all.others[region])
                sharing_.passing = region;
    }

    void load(std::size_t first, std::size_t count)
    {
        for (std::size_t region = 0; region < all_.regions; ++region) {
            own_[region] = lane_of(all_.own_lines[region], first, count, 0);
            everyone_[region] = lane_of(all_.all_lines[region], first, count, 0);
            touches_[region] = lane_of(all_.touches[region], first, count, 0);
            own_crowding_[region] = lane_of(all_.own_crowding[region], first, count, 1);
            all_crowding_[region] = lane_of(all_.all_crowding[region], first, count, 1);
            together_[region] = lane_of(all_.together[region], first, count, 1);
            near_[region] = lane_of(all_.near[region], first, count, 0);
            far_[region] = lane_of(all_.last[region], first, count, 0);
            memory_[region] = lane_of(all_.memory[region], first, count, 0);
            in_steps_[region] = std::ranges::max(together_[region]) > 1;
            for (std::size_t i = 0; i < kLanes; ++i)
                missed_[region][i] = touches_[region][i] * (memory_[region][i] - far_[region][i]);
            if (burst_waits_.asked(region))
                burst_waits_.load(region, first, count, touches_[region]);
        }
        lcores_ = lane_of(all_.lcores, first, count, 1);
        base_ = lane_of(all_.base, first, count, 1);
        known_ = 0;
        now_ = Settled{};
    }

    // What these private levels leave to the last one.
    void stand_behind(std::span<const Private> nearer)
    {
        std::fill(private_.begin(), private_.end(), Lane{});
        for (std::size_t level = 0; level < nearer.size(); ++level) {
            const std::vector<Lane> &served = behind_private(nearer[level]);
            for (std::size_t region = 0; region < all_.regions; ++region)
                for (std::size_t i = 0; i < kLanes; ++i)
                    private_[region][i] = std::max(private_[region][i], served[region][i]);
            if (level == 0)
                first_ = private_;
        }
        fixed_ = base_;
        for (std::size_t region = 0; region < all_.regions; ++region) {
            if (all_.others[region])
                continue;
            const Lane passed = waits(region, first_[region]);
            const Lane left = waits(region, private_[region]);
            for (std::size_t i = 0; i < kLanes; ++i)
                fixed_[i] += touches_[region][i] *
                             (near_[region][i] * (passed[i] - left[i]) + far_[region][i] * left[i]);
        }
        burst_waits_.begin();
        for (std::size_t region = 0; region < all_.regions; ++region)
            if (burst_waits_.asked(region))
                burst_waits_.wait_for_last(region, private_[region], fixed_);
        fill(true);
        now_.cost = fixed_;
        now_.priced = false;
    }

    // Lines that others bring in push ours out in time, and a packet takes the longer the more of
    // them went: the lifetime and the cost that fit each other, by Newton's steps for the lifetime.
    // How the cost falls with it is known from the step before. A scenario that is exact stays: its
    // answer is the same whatever is asked with it.
    void settle(const Lane &capacity, const Lane &inserted, const Lane &takes)
    {
        sharing_.shape = shape_;
        const bool known = now_.priced && capacity == now_.capacity && takes == sharing_.takes;
        if (capacity != capacity_)
            sharing_.begin();
        now_.capacity = capacity_ = capacity;
        sharing_.takes = takes;
        from_ = Lane{};
        come(inserted);
        sharing_.crowd(capacity);
        Lane moving = sharing_.leaves(capacity);
        const Lane least = sharing_.least_time(capacity);
        for (std::size_t i = 0; i < kLanes; ++i) {
            const bool finite = now_.time[i] > 0 && now_.time[i] < kForEver;
            const double begin = moving[i] == 0.0 ? kForEver : finite ? now_.time[i] : least[i];
            unpriced_[i] = known && begin == now_.time[i] ? 0.0 : 1.0;
            now_.time[i] = begin;
        }
        now_.priced = true;
        for (int round = 0; round < kMostRounds; ++round) {
            if (std::ranges::max(unpriced_) > 0)
                price();
            come(inserted);
            Lane room, slope;
            for (std::size_t i = 0; i < kLanes; ++i) {
                room[i] = capacity[i] - now_.taken[i] - sharing_.inserted[i] * now_.time[i];
                slope[i] = now_.grows[i] + sharing_.inserted[i] + 1e-300;
                slope[i] +=
                    std::max(inserted[i] * now_.time[i] * now_.falls[i], kMostTurn * slope[i]);
            }
            from_ = now_.time;
            const bool exact = CacheSharing::advance(room, slope, moving, now_.time);
            unpriced_ = moving;
            for (std::size_t i = 0; i < kLanes; ++i) { // the last step is short
                const double step = moving[i] > 0 ? 0.0 : now_.time[i] - from_[i];
                now_.taken[i] += now_.grows[i] * step;
                now_.cost[i] += now_.falls[i] * step;
            }
            if (exact)
                return;
        }
    }

    // Other variants begin where the first one ended.
    void keep() { first_variant_ = now_; }
    void resume() { now_ = first_variant_; }

    const Lane &cost() const { return now_.cost; }
    const Lane &base() const { return base_; }

    // What a packet costs if the last level holds all, and if it holds nothing.
    const Lane &least_cost() const { return fixed_; }
    Lane most_cost() { return cost_behind(private_); }

    // What the last level and memory serve of a region's touches, lines a packet, is added; waits a
    // touch for private levels beyond the first, the last level and memory.
    void answer(std::size_t region, std::array<Lane, 3> &found, Lane &last, Lane &memory) const
    {
        const Lane passed = waits(region, first_[region]), left = waits(region, private_[region]),
                   gone = waits(region, kept_[region]);
        for (std::size_t i = 0; i < kLanes; ++i) {
            found[0][i] = passed[i] - left[i];
            found[1][i] = left[i] - gone[i];
            found[2][i] = gone[i];
            const double touches = all_.others[region] ? 0.0 : touches_[region][i];
            last[i] += touches * (kept_[region][i] - private_[region][i]);
            memory[i] += touches * (1.0 - kept_[region][i]);
        }
    }

    const BurstWaits &burst_waits() const { return burst_waits_; }

  private:
    // What a private level serves of each region. Variants have most levels in common.
    const std::vector<Lane> &behind_private(const Private &level)
    {
        for (std::size_t i = 0; i < known_; ++i)
            if (levels_[i].of == level)
                return levels_[i].served;
        if (known_ == levels_.size())
            levels_.push_back({level, {}, std::vector<Lane>(all_.regions)});
        Level &found = levels_[known_];
        found.of = level;
        fill(false);
        sharing_.shape = level.shape;
        sharing_.inserted = Lane{};
        Lane capacity;
        capacity.fill(level.lines);
        found.time = Lane{};
        if (known_ > 0) { // a line stays longer in a larger cache, in proportion at least
            const Level &last = levels_[known_ - 1];
            for (std::size_t i = 0; i < kLanes; ++i)
                found.time[i] =
                    last.time[i] < kForEver ? last.time[i] * level.lines / last.of.lines : 0.0;
        }
        ++known_;
        sharing_.find_time(capacity, found.time);
        for (std::size_t region = 0; region < all_.regions; ++region)
            sharing_.share(region, found.time, found.served[region]);
        return found.served;
    }

    // What others bring in and touch while a packet is forwarded.
    void come(const Lane &inserted)
    {
        for (std::size_t i = 0; i < kLanes; ++i)
            sharing_.inserted[i] = inserted[i] * now_.cost[i];
        for (std::size_t region = 0; region < all_.regions; ++region) {
            if (!all_.others[region])
                continue;
            for (std::size_t i = 0; i < kLanes; ++i) {
                const double touches = touches_[region][i] * now_.cost[i];
                sharing_.touches[region][i] = touches;
                sharing_.rates[region][i] = touches / std::max(everyone_[region][i], kLeastLines);
            }
        }
    }

    // Regions in a cache of one lcore, or in one that all share.
    void fill(bool shared)
    {
        sharing_.begin();
        for (std::size_t region = 0; region < all_.regions; ++region) {
            sharing_.crowding[region] = shared ? all_crowding_[region] : own_crowding_[region];
            Lane touches = touches_[region];
            for (std::size_t i = 0; i < kLanes; ++i)
                touches[i] *= shared ? lcores_[i] : 1.0;
            sharing_.set(region, shared ? everyone_[region] : own_[region], touches,
                         shared || !all_.others[region]);
        }
    }

    // What of a region's touches is served when lines stay so long, what they hold, and what a
    // packet costs then, of the scenarios of which it is not known.
    void price()
    {
        Lane taken{}, grows{}, served, held, slope;
        sharing_.crowd(capacity_);
        for (std::size_t region = 0; region < all_.regions; ++region) {
            sharing_.hold(region, now_.time, served, held, slope);
            for (std::size_t i = 0; i < kLanes; ++i) {
                taken[i] += held[i];
                grows[i] += slope[i];
                served[i] = std::max(served[i], private_[region][i]);
            }
            take(served, kept_[region]);
        }
        const Lane cost = cost_behind(kept_);
        Lane falls = now_.falls;
        for (std::size_t i = 0; i < kLanes; ++i) {
            const double step = now_.time[i] - from_[i];
            if (from_[i] > 0 && std::abs(step) > kLeastStep * now_.time[i])
                falls[i] = std::min((cost[i] - now_.cost[i]) / step, 0.0);
        }
        take(taken, now_.taken);
        take(grows, now_.grows);
        take(falls, now_.falls);
        take(cost, now_.cost);
    }

    void take(const Lane &found, Lane &known) const
    {
        for (std::size_t i = 0; i < kLanes; ++i)
            known[i] = unpriced_[i] > 0 ? found[i] : known[i];
    }

    // What a packet costs when all levels serve such shares of the regions' touches.
    Lane cost_behind(const std::vector<Lane> &served)
    {
        Lane cost = fixed_;
        burst_waits_.begin();
        for (std::size_t region = 0; region < all_.regions; ++region) {
            if (all_.others[region])
                continue;
            const Lane gone = waits(region, served[region]);
            for (std::size_t i = 0; i < kLanes; ++i)
                cost[i] += missed_[region][i] * gone[i];
            if (burst_waits_.asked(region))
                burst_waits_.wait_for_memory(region, served[region], cost);
        }
        return cost;
    }

    // Waits for each touch of a region, of which a share is served; touches that belong together
    // wait once, for the slowest of them.
    Lane waits(std::size_t region, const Lane &served) const
    {
        Lane found;
        const Lane &together = together_[region];
        for (std::size_t v = 0; v < kVectors; ++v) {
            const Vector share = served.part(v), lanes = together.part(v);
            found.set_part(v, in_steps_[region] ? (1.0 - power_of(share, lanes)) / lanes
                                                : 1.0 - share);
        }
        return found;
    }

    const Touched &all_;
    BurstWaits burst_waits_;
    unsigned shape_; // of lifetimes in the last level
    std::vector<Lane> own_, everyone_, touches_, own_crowding_, all_crowding_, together_, near_,
        far_, memory_;
    std::vector<Lane> missed_; // cycles a packet that memory costs more than the last level
    std::vector<Lane> first_, private_, kept_; // served by the first, all private, all levels
    std::vector<bool> in_steps_;               // some of its touches wait for each other
    Lane lcores_{}, base_{}, fixed_{}, capacity_{};
    struct Settled {
        Lane capacity{};       // of the last level
        Lane time{};           // packets that a line stays there
        Lane taken{}, grows{}; // lines held, and more of them for each packet more
        Lane cost{}, falls{};  // and what it changes by for each packet more
        bool priced = false;   // all is of these private levels
    };
    Settled now_, first_variant_;
    Lane from_{};     // the time before, of what is not known yet
    Lane unpriced_{}; // 1: what is known is not of the time that it is now
    CacheSharing sharing_;
    struct Level {
        Private of;
        Lane time; // that a line stays
        std::vector<Lane> served;
    };
    std::vector<Level> levels_;
    std::size_t known_ = 0; // of them
};

} // namespace

void serve(const Touched &touched, const Asked &asked, const Caches &caches, const Answer &answer)
{
    const std::size_t scenarios = touched.scenarios, table = touched.regions * scenarios;
    const std::size_t levels = caches.nearer.size() / caches.variants;
    Block block(touched, asked, caches.shape);
    for (std::size_t first = 0; first < scenarios; first += kLanes) {
        const std::size_t count = std::min(kLanes, scenarios - first);
        block.load(first, count);
        const auto store_cost = [&](std::size_t row, const Lane &cost) {
            for (std::size_t i = 0; i < count; ++i)
                answer.cost[row * scenarios + first + i] = cost[i] - block.base()[i];
        };
        std::span<const Private> before;
        for (std::size_t variant = 0; variant < caches.variants; ++variant) {
            const std::size_t row = variant * scenarios;
            const auto nearer = caches.nearer.subspan(variant * levels, levels);
            if (variant > 0)
                block.resume();
            if (variant == 0 || !std::ranges::equal(nearer, before))
                block.stand_behind(nearer);
            before = nearer;
            block.settle(lane_of(caches.capacity + row, first, count, 1),
                         lane_of(caches.inserted + row, first, count, 0),
                         lane_of(caches.takes + row, first, count, 1));
            store_cost(variant, block.cost());
            if (variant > 0)
                continue;
            block.keep();
            Lane last{}, memory{};
            for (std::size_t region = 0; region < touched.regions; ++region) {
                std::array<Lane, 3> waits;
                block.answer(region, waits, last, memory);
                for (std::size_t level = 0; level < waits.size(); ++level)
                    store(waits[level], answer.waits + level * table + region * scenarios, first,
                          count);
                store(block.burst_waits().last(region), answer.first + region * scenarios, first,
                      count);
                store(block.burst_waits().memory(region), answer.first + table + region * scenarios,
                      first, count);
            }
            store(last, answer.lines, first, count);
            store(memory, answer.lines + scenarios, first, count);
            store_cost(caches.variants, block.least_cost());
            store_cost(caches.variants + 1, block.most_cost());
        }
    }
}

} // namespace planecast::model
