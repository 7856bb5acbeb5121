// Every field of a model against its own range, with the field's path in the message.
#pragma once

#include "planecast/simulator/model.hpp"

namespace planecast::sim
{

void check_fields(const Model &model); // throws ModelError

} // namespace planecast::sim
