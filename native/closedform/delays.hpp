// What memory adds to a packet, by stage, behind any caches and for many scenarios:
// src/planecast/engines/solve/delays.py says what is computed and why.
#pragma once

#include <cstddef>
#include <span>

namespace planecast::closedform
{

// The regions that packets touch, in many scenarios: region-major tables, a row a region and a
// column a scenario; columns have a number of each scenario.
struct Touched {
    std::size_t regions;
    std::size_t scenarios;
    std::size_t stages;
    const bool *cyclic;       // by region: touched in order, not at random
    const std::size_t *stage; // by region: the stage that waits for it; `stages`: none does
    const double *own_lines;  // distinct lines that an lcore touches
    const double *all_lines;  // distinct lines that all lcores touch
    const double *touches;    // touches a packet
    const double *stride;     // lines from one touched line to the next; 1: they follow
    const double *together;   // cycles a line for the burst, over the usual burst's
    const double *walks;      // cycles that page walks add to a touch
    const double *lcores;     // column: how many touch a shared cache
    const double *far;        // column: cycles a line from memory, less the first level's
};

struct Level {
    double lines;  // its capacity
    double dearer; // cycles a line, less the first level's
    bool shared;   // among lcores
};

// Behind the levels `nearer` and each of `last`: the delay in cycles a packet into `delay`, of
// shape (last levels, stages, scenarios), and the lines a packet from memory into `missed`, of
// shape (last levels, scenarios). Shared last levels of rising size are the cheapest order.
void delays(const Touched &touched, std::span<const Level> nearer, std::span<const Level> last,
            double *delay, double *missed);

// What the delays behind each last level come to, and no more than that is stored: by stage and
// last level weights, and others that count `counts` times.
struct Weights {
    const double *always; // (last levels, stages)
    const double *where;  // likewise
    const double *counts; // column
    std::size_t whole;    // the last level whose delays are wanted in full
};

// The weighted sums into `cost`, of shape (last levels, scenarios), and of one last level what
// delays() tells.
void weighted_delays(const Touched &touched, std::span<const Level> nearer,
                     std::span<const Level> last, const Weights &weights, double *delay,
                     double *missed, double *cost);

} // namespace planecast::closedform
