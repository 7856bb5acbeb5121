#include "served.hpp"

#include "cache_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace planecast::model
{

namespace
{

constexpr double kLeastLines = 1e-9;  // of a region: rates are touches over lines
constexpr double kLeastShare = 1e-12; // of touches that are served: it has a logarithm
constexpr int kMostRounds = 60;

// Some scenarios behind one cache after the other.
class Block
{
  public:
    Block(const Touched &all, const Asked &asked, unsigned shape)
        : all_(all), asked_(asked), shape_(shape), own_(all.regions), everyone_(all.regions),
          touches_(all.regions), own_crowding_(all.regions), all_crowding_(all.regions),
          together_(all.regions), near_(all.regions), far_(all.regions), memory_(all.regions),
          missed_(all.regions), first_(all.regions), private_(all.regions), kept_(all.regions),
          independent_(all.regions), untouched_(all.regions), open_last_(all.regions),
          open_memory_(all.regions), waits_last_(all.regions), waits_memory_(all.regions),
          none_before_(asked.groups), in_steps_(all.regions), sharing_(all.regions, all.cyclic)
    {
    }

    void load(std::size_t first, std::size_t count)
    {
        for (std::size_t region = 0; region < all_.regions; ++region) {
            const std::size_t row = region * all_.scenarios;
            own_[region] = lane_of(all_.own_lines + row, first, count, 0);
            everyone_[region] = lane_of(all_.all_lines + row, first, count, 0);
            touches_[region] = lane_of(all_.touches + row, first, count, 0);
            own_crowding_[region] = lane_of(all_.own_crowding + row, first, count, 1);
            all_crowding_[region] = lane_of(all_.all_crowding + row, first, count, 1);
            together_[region] = lane_of(all_.together + row, first, count, 1);
            near_[region] = lane_of(all_.near + row, first, count, 0);
            far_[region] = lane_of(all_.last + row, first, count, 0);
            memory_[region] = lane_of(all_.memory + row, first, count, 0);
            in_steps_[region] = std::ranges::max(together_[region]) > 1;
            for (std::size_t i = 0; i < kLanes; ++i)
                missed_[region][i] = touches_[region][i] * (memory_[region][i] - far_[region][i]);
            if (asked_.group[region] >= 0)
                ask(region, first, count);
        }
        lcores_ = lane_of(all_.lcores, first, count, 1);
        base_ = lane_of(all_.base, first, count, 1);
        known_ = 0;
        time_ = Lane{}; // the next variant begins where the last one ended
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
        for (Lane &none : none_before_)
            none.fill(1.0);
        for (std::size_t region = 0; region < all_.regions; ++region)
            if (asked_.group[region] >= 0)
                wait_once(region, private_[region], open_last_[region], waits_last_[region],
                          fixed_);
        fill(true);
        cost_ = fixed_;
    }

    // Lines that others bring in push ours out in time, and a packet takes the longer the more of
    // them went: the lifetime and the cost that fit each other, by Newton's steps for the lifetime.
    void settle(const Lane &capacity, const Lane &inserted)
    {
        sharing_.shape = shape_;
        capacity_ = capacity;
        come(inserted);
        Lane open = sharing_.leaves(capacity), least = sharing_.least_time(capacity);
        for (std::size_t i = 0; i < kLanes; ++i) {
            const bool known = time_[i] > 0 && time_[i] < kForEver;
            time_[i] = open[i] == 0.0 ? kForEver : known ? time_[i] : least[i];
        }
        for (int round = 0; round < kMostRounds; ++round) {
            Lane room = capacity, slope{};
            price(room, slope);
            come(inserted);
            for (std::size_t i = 0; i < kLanes; ++i) {
                room[i] -= sharing_.inserted[i] * time_[i];
                slope[i] += sharing_.inserted[i] + 1e-300;
            }
            if (CacheSharing::advance(room, slope, open, time_) <= 0)
                return;
        }
    }

    const Lane &cost() const { return cost_; }
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

    // Share of bursts that wait for a region's lines though they were asked for ahead.
    const Lane &waits_last(std::size_t region) const { return waits_last_[region]; }
    const Lane &waits_memory(std::size_t region) const { return waits_memory_[region]; }

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
            sharing_.share(region, capacity, found.time, found.served[region]);
        return found.served;
    }

    // What others bring in and touch while a packet is forwarded.
    void come(const Lane &inserted)
    {
        for (std::size_t i = 0; i < kLanes; ++i)
            sharing_.inserted[i] = inserted[i] * cost_[i];
        for (std::size_t region = 0; region < all_.regions; ++region) {
            if (!all_.others[region])
                continue;
            for (std::size_t i = 0; i < kLanes; ++i) {
                const double touches = touches_[region][i] * cost_[i];
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
            const Lane &lines = shared ? everyone_[region] : own_[region];
            const bool absent = all_.others[region] && !shared;
            sharing_.crowding[region] = shared ? all_crowding_[region] : own_crowding_[region];
            for (std::size_t i = 0; i < kLanes; ++i) {
                const double touches = touches_[region][i] * (shared ? lcores_[i] : 1.0);
                const double held = std::max(lines[i], kLeastLines);
                const double used = touches > 0 && !absent ? 1.0 : 0.0;
                sharing_.rates[region][i] = touches / held;
                sharing_.lines[region][i] = used * held;
                sharing_.touches[region][i] = used * touches;
            }
        }
    }

    // What of a region's touches is served when lines stay so long, and what a packet costs then;
    // takes what they hold out of `room`.
    void price(Lane &room, Lane &slope)
    {
        Lane held, grows;
        for (std::size_t region = 0; region < all_.regions; ++region) {
            Lane &share = kept_[region];
            sharing_.hold(region, capacity_, time_, share, held, grows);
            for (std::size_t i = 0; i < kLanes; ++i) {
                room[i] -= held[i];
                slope[i] += grows[i];
                share[i] = std::max(share[i], private_[region][i]);
            }
        }
        cost_ = cost_behind(kept_);
    }

    // What a packet costs when all levels serve such shares of the regions' touches.
    Lane cost_behind(const std::vector<Lane> &served)
    {
        Lane cost = fixed_;
        for (Lane &none : none_before_)
            none.fill(1.0);
        for (std::size_t region = 0; region < all_.regions; ++region) {
            if (all_.others[region])
                continue;
            const Lane gone = waits(region, served[region]);
            for (std::size_t i = 0; i < kLanes; ++i)
                cost[i] += missed_[region][i] * gone[i];
            if (asked_.group[region] >= 0)
                wait_once(region, served[region], open_memory_[region], waits_memory_[region],
                          cost);
        }
        return cost;
    }

    // What a burst waits for a region's lines at most, how many bursts touch none of them, and how
    // many independent ones the others do.
    void ask(std::size_t region, std::size_t first, std::size_t count)
    {
        const Lane covered = lane_of(asked_.covered + region * all_.scenarios, first, count, 0);
        const Lane burst = lane_of(asked_.burst + region * all_.scenarios, first, count, 1);
        const Lane last = lane_of(asked_.latency, first, count, 0);
        const Lane memory = lane_of(asked_.latency + all_.scenarios, first, count, 0);
        waits_memory_[region] = waits_last_[region] = Lane{};
        for (std::size_t i = 0; i < kLanes; ++i) {
            open_last_[region][i] = std::max(last[i] - covered[i], 0.0) / burst[i];
            open_memory_[region][i] =
                std::max(memory[i] - covered[i], 0.0) / burst[i] - open_last_[region][i];
            const double touches = touches_[region][i];
            const double missing = std::log(std::max(1.0 - touches, kLeastShare));
            const double none = std::exp(std::max(burst[i] * missing, -kGone));
            untouched_[region][i] = none;
            independent_[region][i] =
                std::sqrt(burst[i] * touches / std::max(1.0 - none, kLeastShare));
        }
    }

    // Adds what a packet waits for the first of its burst's lines of memory, where that is this
    // region's: those of the group before it were served.
    void wait_once(std::size_t region, const Lane &served, const Lane &open, Lane &waiting,
                   Lane &cost)
    {
        if (std::ranges::max(open) <= 0)
            return; // nor does the group wait for a later one: more is done before its use
        Lane &none = none_before_[static_cast<std::size_t>(asked_.group[region])];
        for (std::size_t i = 0; i < kLanes; ++i) {
            const double untouched = untouched_[region][i];
            const double own = untouched + (1.0 - untouched) *
                                               std::exp(independent_[region][i] *
                                                        std::log(std::max(served[i], kLeastShare)));
            waiting[i] = open[i] > 0 ? none[i] * (1.0 - own) : 0.0;
            cost[i] += waiting[i] * open[i];
            none[i] *= own;
        }
    }

    // Waits for each touch of a region, of which a share is served; touches that belong together
    // wait once, for the slowest of them.
    Lane waits(std::size_t region, const Lane &served) const
    {
        Lane found;
        for (std::size_t i = 0; i < kLanes; ++i)
            found[i] = 1.0 - served[i];
        if (!in_steps_[region])
            return found;
        const Lane &together = together_[region];
        for (std::size_t i = 0; i < kLanes; ++i)
            found[i] = (1.0 - std::exp(together[i] * std::log(std::max(served[i], kLeastShare)))) /
                       together[i];
        return found;
    }

    const Touched &all_;
    const Asked &asked_;
    unsigned shape_; // of lifetimes in the last level
    std::vector<Lane> own_, everyone_, touches_, own_crowding_, all_crowding_, together_, near_,
        far_, memory_;
    std::vector<Lane> missed_; // cycles a packet that memory costs more than the last level
    std::vector<Lane> first_, private_, kept_;    // served by the first, all private, all levels
    std::vector<Lane> independent_;               // lines of a burst
    std::vector<Lane> untouched_;                 // share of bursts without a touch
    std::vector<Lane> open_last_, open_memory_;   // cycles a packet waits at most
    std::vector<Lane> waits_last_, waits_memory_; // share of bursts that wait once for a region
    std::vector<Lane> none_before_;               // share of bursts that no region waited for yet
    std::vector<bool> in_steps_;                  // some of its touches wait for each other
    Lane lcores_{}, base_{}, fixed_{}, cost_{}, time_{}, capacity_{};
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
            if (variant == 0 || !std::ranges::equal(nearer, before))
                block.stand_behind(nearer);
            before = nearer;
            block.settle(lane_of(caches.capacity + row, first, count, 1),
                         lane_of(caches.inserted + row, first, count, 0));
            store_cost(variant, block.cost());
            if (variant > 0)
                continue;
            Lane last{}, memory{};
            for (std::size_t region = 0; region < touched.regions; ++region) {
                std::array<Lane, 3> waits;
                block.answer(region, waits, last, memory);
                for (std::size_t level = 0; level < waits.size(); ++level)
                    store(waits[level], answer.waits + level * table + region * scenarios, first,
                          count);
                store(block.waits_last(region), answer.first + region * scenarios, first, count);
                store(block.waits_memory(region), answer.first + table + region * scenarios, first,
                      count);
            }
            store(last, answer.lines, first, count);
            store(memory, answer.lines + scenarios, first, count);
            store_cost(caches.variants, block.least_cost());
            store_cost(caches.variants + 1, block.most_cost());
        }
    }
}

} // namespace planecast::model
