// Takes a core away at scheduled instants: interrupts, preemption, the hypervisor.
#pragma once

#include "planecast/simulator/core_model.hpp"
#include "portable_math.hpp"
#include "random.hpp"
#include "sampler.hpp"
#include "time.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace planecast::sim
{

class Disturber
{
  public:
    Disturber(const std::vector<Disturbance> &models, std::uint64_t seed) : random_(seed)
    {
        for (const Disturbance &model : models) {
            if (model.rate_per_second > 0 || !model.starts_ns.empty()) {
                double gap = std::min(1e12 / std::max(model.rate_per_second, 1e-300), 4e18);
                kinds_.push_back({&model, Sampler(model.duration_ns), gap, 0, 0, 0});
                plan(kinds_.back());
            }
        }
        find_next();
    }

    Ps next() const { return next_; }

    // Draws the one at next() and plans its successor, which waits until this one has ended: as
    // many come as were asked for, and the core is gone for their rate times their duration.
    Ps suffer()
    {
        Kind &kind = *std::min_element(kinds_.begin(), kinds_.end(),
                                       [](auto &a, auto &b) { return a.next < b.next; });
        bool recorded = !kind.model->starts_ns.empty();
        Ps duration = ps_from_ns(recorded ? kind.model->lengths_ns[kind.played - 1]
                                          : kind.duration.draw(random_));
        Ps end = later(kind.next, duration);
        plan(kind);
        kind.next = std::max(kind.due, end);
        find_next();
        return duration;
    }

  private:
    struct Kind {
        const Disturbance *model;
        Sampler duration;
        double gap; // picoseconds
        Ps due;
        Ps next;            // when it begins: due, or after the one before
        std::size_t played; // of a recording
    };

    void plan(Kind &kind)
    {
        const std::vector<double> &starts = kind.model->starts_ns;
        if (!starts.empty()) {
            kind.due = kind.played < starts.size() ? ps_from_ns(starts[kind.played]) : kNever;
            ++kind.played;
        } else {
            double gap = kind.model->periodic ? kind.gap : -kind.gap * log_of(random_.unit());
            kind.due = later(kind.due, std::max<Ps>(1, ps_from(gap)));
        }
        kind.next = kind.due;
    }
    void find_next()
    {
        next_ = kNever;
        for (const Kind &kind : kinds_) {
            next_ = std::min(next_, kind.next);
        }
    }

    Random random_;
    std::vector<Kind> kinds_;
    Ps next_ = kNever;
};

} // namespace planecast::sim
