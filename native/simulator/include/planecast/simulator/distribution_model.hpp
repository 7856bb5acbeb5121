// A random quantity of a model: cycles of a packet, nanoseconds of an interrupt, packets of a
// burst.
#pragma once

#include "planecast/simulator/describe.hpp"

#include <vector>

namespace planecast::sim
{

enum class DistributionKind { constant, exponential, lognormal };

struct Distribution {
    DistributionKind kind = DistributionKind::constant;
    double mean = 0;
    double cv = 0; // coefficient of variation: lognormal only

    template <class Visitor> static void describe(Visitor &&visit)
    {
        visit("kind", &Distribution::kind, "constant, exponential or lognormal");
        visit("mean", &Distribution::mean, kCycles, "mean, in the unit of what it describes");
        visit("cv", &Distribution::cv, Range{0, 100}, "standard deviation / mean (lognormal)");
    }
};

} // namespace planecast::sim
