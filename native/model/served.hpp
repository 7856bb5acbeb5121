// Which level serves what stages touch, behind private caches and one shared last level, for very
// many scenarios: src/planecast/machine/caches.py says what is computed and why.
#pragma once

#include "asked_ahead.hpp"
#include "lane.hpp"

#include <cstddef>
#include <span>

namespace planecast::model
{

// The regions that packets touch.
struct Touched {
    std::size_t regions;
    std::size_t scenarios;
    const bool *cyclic; // by region: touched in order, not at random
    const bool *others; // by region: others touch it, whatever packets do, and wait for it
    Rows own_lines;     // distinct lines that an lcore touches
    Rows all_lines;     // distinct lines that all lcores touch
    Rows touches;       // touches a packet; of regions of others, a cycle
    Rows own_crowding;  // how many times as densely they lie in the sets of private caches that
                        // they meet in as in all sets; 1: they meet in all
    Rows all_crowding;  // the same of the last level
    Rows together;      // touches that wait for the slowest of them; 1: each for itself
    Rows near;          // cycles a touch that a private level beyond the first serves
    Rows last;          // … that the last level serves
    Rows memory;        // … that memory serves
    Row lcores;         // how many touch a shared cache
    Row base;           // cycles a packet without all of these
};

struct Private {
    double lines;   // capacity of the cache
    unsigned shape; // of lines' lifetimes

    bool operator==(const Private &) const = default;
};

// One machine's caches, or several variants of them: tables with a row a variant.
struct Caches {
    std::size_t variants;
    std::span<const Private> nearer; // private levels, nearest first; those of a variant in a row
    unsigned shape;                  // of lifetimes in the last level
    const double *capacity;          // of the last level, lines
    const double *inserted;          // lines a cycle that others bring in
    const double *takes;             // share of the others' missed lines that takes room there
};

// Tables that are filled in, a column a scenario.
struct Answer {
    double *waits; // waits a touch for private levels beyond the first, the last level and memory,
                   // of shape (3, regions, scenarios)
    double *first; // share of bursts that wait for a region's lines though they were asked for
                   // ahead, for the last level and for memory, of shape (2, regions, scenarios)
    double *lines; // lines a packet that the last level and memory serve, of shape (2, scenarios)
    double *cost;  // what the touches cost, cycles a packet, of shape (variants + 2, scenarios):
                   // the last two are the first variant's if the last level held all or nothing
};

// All but the costs are of the first variant.
void serve(const Touched &touched, const Asked &asked, const Caches &caches, const Answer &answer);

} // namespace planecast::model
