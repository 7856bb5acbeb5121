// Where a model's packets go: what they are put into is polled, by one task; their way ends; and no
// cores wait for each other.
#pragma once

#include "planecast/simulator/model.hpp"

namespace planecast::sim
{

void check_paths(const Model &model); // of names that are there; throws ModelError

} // namespace planecast::sim
