// A random quantity of a model: cycles of a packet, nanoseconds of an interrupt, packets of a
// burst.
#pragma once

#include "planecast/simulator/describe.hpp"

#include <vector>

namespace planecast::sim
{

enum class DistributionKind { constant, exponential, lognormal, table };

struct Distribution {
    DistributionKind kind = DistributionKind::constant;
    double mean = 0;
    double cv = 0;               // coefficient of variation: lognormal only
    std::vector<double> values;  // table only: what was measured …
    std::vector<double> weights; // … and how often (none: all as often)

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("kind", &Distribution::kind, "constant, exponential, lognormal or table");
        visit("mean", &Distribution::mean, kCycles, "mean, in the unit of what it describes");
        visit("cv", &Distribution::cv, Range{0, 100}, "standard deviation / mean (lognormal)");
        visit("values", &Distribution::values, kCycles, "the values of a table");
        visit("weights", &Distribution::weights, Range{0, 1e15}, "how often each value comes");
    }
};

} // namespace planecast::sim
