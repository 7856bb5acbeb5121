// The simulator's entry points.
#pragma once

#include "planecast/simulator/model.hpp"
#include "planecast/simulator/results.hpp"

#include <atomic>
#include <stdexcept>
#include <vector>

namespace planecast::sim
{

// The model can't be run. what() names the field, what it holds and what it may hold.
class ModelError : public std::invalid_argument
{
    using std::invalid_argument::invalid_argument;
};

// A law that every run obeys (conservation, Little) was broken: a bug of this program.
class InvariantError : public std::logic_error
{
    using std::logic_error::logic_error;
};

// The caller's flag was set.
class Cancelled : public std::runtime_error
{
    using std::runtime_error::runtime_error;
};

void validate(const Model &model); // throws ModelError

Results simulate(const Model &model, const std::atomic<bool> *cancel = nullptr);

// Many models on so many host threads, answers in the models' order. All are validated first.
std::vector<Results> simulate_many(const std::vector<Model> &models, unsigned threads,
                                   const std::atomic<bool> *cancel = nullptr);

} // namespace planecast::sim
