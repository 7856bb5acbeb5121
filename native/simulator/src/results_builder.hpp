// From shards that have stopped at the same instant to the Results.
#pragma once

#include "planecast/simulator/results.hpp"
#include "shard.hpp"

#include <memory>
#include <string>
#include <vector>

namespace planecast::sim
{

using Shards = std::vector<std::unique_ptr<Shard>>;

Batches merged_batches(const Shards &shards);
Estimate estimate_of(PrecisionTarget target, const Batches &batches, double confidence);

Results collect(const Layout &layout, const Shards &shards, std::string stopped_by);

} // namespace planecast::sim
