#include "delays.hpp"

#include "sharing.hpp"

#include <algorithm>
#include <vector>

namespace planecast::closedform
{

namespace
{

constexpr double kLeastLines = 1e-9; // of a region: rates are touches over lines

// What the caches so far serve in some scenarios, and what that costs.
struct Served {
    std::vector<Lane> share, delay; // by region

    explicit Served(std::size_t regions) : share(regions, Lane{}), delay(regions, Lane{}) {}
};

// Some scenarios behind one cache after the other.
class Block
{
  public:
    explicit Block(const Touched &all)
        : all_(all), own_(all.regions), everyone_(all.regions), touches_(all.regions),
          stride_(all.regions), together_(all.regions), walks_(all.regions),
          sharing_(all.regions, all.cyclic)
    {
    }

    void load(std::size_t first, std::size_t count)
    {
        for (std::size_t region = 0; region < all_.regions; ++region) {
            const std::size_t row = region * all_.scenarios;
            own_[region] = lane_of(all_.own_lines + row, first, count, 0);
            everyone_[region] = lane_of(all_.all_lines + row, first, count, 0);
            touches_[region] = lane_of(all_.touches + row, first, count, 0);
            stride_[region] = lane_of(all_.stride + row, first, count, 1);
            together_[region] = lane_of(all_.together + row, first, count, 1);
            walks_[region] = lane_of(all_.walks + row, first, count, 0);
        }
        lcores_ = lane_of(all_.lcores, first, count, 1);
        far_ = lane_of(all_.far, first, count, 0);
        known_ = 0;
    }

    // Puts a level behind those that serve `before`; `found` may be the same.
    void add(const Level &level, const Served &before, Served &found)
    {
        settle(level);
        for (std::size_t region = 0; region < all_.regions; ++region) {
            Lane share;
            sharing_.share(region, time_, share);
            for (std::size_t i = 0; i < kLanes; ++i) {
                const double reached = before.share[region][i];
                share[i] = std::max(share[i], reached);
                found.delay[region][i] = before.delay[region][i] +
                                         (share[i] - reached) * touches_[region][i] * level.dearer;
            }
            found.share[region] = share;
        }
    }

    // Adds up what the stages wait for, memory and page walks included.
    void sum(const Served &served, std::vector<Lane> &stages, Lane &missed) const
    {
        std::fill(stages.begin(), stages.end(), Lane{});
        missed = Lane{};
        for (std::size_t region = 0; region < all_.regions; ++region) {
            if (all_.stage[region] >= all_.stages)
                continue;
            Lane &own = stages[all_.stage[region]];
            for (std::size_t i = 0; i < kLanes; ++i) {
                const double touches = touches_[region][i];
                const double gone = (1.0 - served.share[region][i]) * touches;
                missed[i] += gone;
                own[i] += together_[region][i] *
                          (gone * far_[i] + served.delay[region][i] + touches * walks_[region][i]);
            }
        }
    }

  private:
    // How long lines stay in a level: it knows a shared one's answer from the one before.
    void settle(const Level &level)
    {
        if (known_ > 0 && level.shared && level.lines >= known_) {
            sharing_.find_time(filled(level.lines), time_);
        } else {
            fill(level);
            time_ = Lane{};
            sharing_.find_time(filled(level.lines), time_);
        }
        known_ = level.shared ? level.lines : 0;
    }

    void fill(const Level &level)
    {
        for (std::size_t region = 0; region < all_.regions; ++region)
            for (std::size_t i = 0; i < kLanes; ++i) {
                const double own = own_[region][i], stride = stride_[region][i];
                const bool out = !level.shared && stride > 1 && own * stride > level.lines;
                const double touches = touches_[region][i] * (level.shared ? lcores_[i] : 1.0);
                const double lines =
                    std::max(level.shared ? everyone_[region][i] : own, kLeastLines);
                const double used = touches > 0 && !out ? 1.0 : 0.0;
                sharing_.rates[region][i] = touches / lines;
                sharing_.lines[region][i] = used * lines;
                sharing_.touches[region][i] = used * touches;
                sharing_.out[region][i] = out ? 1.0 : 0.0;
            }
    }

    static Lane filled(double value)
    {
        Lane found;
        found.fill(value);
        return found;
    }

    const Touched &all_;
    std::vector<Lane> own_, everyone_, touches_, stride_, together_, walks_;
    Lane lcores_{}, far_{};
    Sharing sharing_;
    Lane time_{};
    double known_ = 0; // lines of the shared level that `time_` is of; 0: of none
};

// Goes through all scenarios and last levels: `use(number, first, count, stages, missed)`.
template <typename Use>
void each(const Touched &touched, std::span<const Level> nearer, std::span<const Level> last,
          const Use &use)
{
    Block block(touched);
    Served near(touched.regions), whole(touched.regions);
    std::vector<Lane> stages(touched.stages);
    Lane missed;
    for (std::size_t first = 0; first < touched.scenarios; first += kLanes) {
        const std::size_t count = std::min(kLanes, touched.scenarios - first);
        block.load(first, count);
        near = Served(touched.regions);
        for (const Level &level : nearer)
            block.add(level, near, near);
        for (std::size_t number = 0; number < last.size(); ++number) {
            block.add(last[number], near, whole);
            block.sum(whole, stages, missed);
            use(number, first, count, stages, missed);
        }
    }
}

void store_all(const std::vector<Lane> &lanes, double *table, std::size_t scenarios,
               std::size_t first, std::size_t count)
{
    for (std::size_t row = 0; row < lanes.size(); ++row)
        store(lanes[row], table + row * scenarios, first, count);
}

} // namespace

void delays(const Touched &touched, std::span<const Level> nearer, std::span<const Level> last,
            double *delay, double *missed)
{
    const std::size_t scenarios = touched.scenarios;
    each(touched, nearer, last,
         [&](std::size_t number, std::size_t first, std::size_t count,
             const std::vector<Lane> &stages, const Lane &gone) {
             store(gone, missed + number * scenarios, first, count);
             store_all(stages, delay + number * touched.stages * scenarios, scenarios, first,
                       count);
         });
}

void weighted_delays(const Touched &touched, std::span<const Level> nearer,
                     std::span<const Level> last, const Weights &weights, double *delay,
                     double *missed, double *cost)
{
    const std::size_t scenarios = touched.scenarios;
    each(touched, nearer, last,
         [&](std::size_t number, std::size_t first, std::size_t count,
             const std::vector<Lane> &stages, const Lane &gone) {
             if (number == weights.whole) {
                 store(gone, missed, first, count);
                 store_all(stages, delay, scenarios, first, count);
             }
             Lane always{}, where{};
             for (std::size_t stage = 0; stage < touched.stages; ++stage) {
                 const double one = weights.always[number * touched.stages + stage];
                 const double other = weights.where[number * touched.stages + stage];
                 for (std::size_t i = 0; i < kLanes; ++i) {
                     always[i] += one * stages[stage][i];
                     where[i] += other * stages[stage][i];
                 }
             }
             const Lane counts = lane_of(weights.counts, first, count, 0);
             for (std::size_t i = 0; i < kLanes; ++i)
                 always[i] += counts[i] * where[i];
             store(always, cost + number * scenarios, first, count);
         });
}

} // namespace planecast::closedform
