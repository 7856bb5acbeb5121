// A validated model with its names resolved, and its cores grouped by what couples them.
//
// Cores in different groups never influence each other: they run one after the other without an
// event queue, or on different host threads.
#pragma once

#include "planecast/simulator/model.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace planecast::sim
{

struct QueueInfo {
    std::string name;
    std::size_t capacity;
    std::size_t consumer_core; // kNobody for transmit rings
    std::size_t group;
};

// Which of a list has this name; a validated model has one.
template <class Named> std::size_t number_of(const std::vector<Named> &all, const std::string &name)
{
    auto found = std::find_if(all.begin(), all.end(), [&](auto &one) { return one.name == name; });
    return static_cast<std::size_t>(found - all.begin());
}

class Layout
{
  public:
    static constexpr std::size_t kNobody = ~std::size_t{0};

    explicit Layout(const Model &model);

    const Model &model;
    std::vector<Nic> nics; // those of the model, then one for each port without
    std::vector<std::size_t> nic_of_port;
    std::vector<std::size_t> group_of_core;
    std::size_t groups = 0;

    // Queues have one numbering: receive rings by port, rings, devices, transmit rings by task.
    std::vector<QueueInfo> queues;
    std::vector<std::size_t> first_rx_queue; // by port
    std::size_t first_ring = 0;
    std::size_t first_device = 0;
    std::vector<std::vector<std::size_t>> tx_queue; // by core and task; kNobody

    std::vector<std::string> class_names; // classes of one name are one, whoever sends them
    std::vector<std::vector<std::uint8_t>> classes; // by source and its own number
    std::size_t largest_frame = 0;
    std::size_t smallest_frame = 65535;

    std::size_t input_queue(const Input &input) const;
    std::size_t output_queue(const Output &output) const;

  private:
    void number_queues();
    void group_cores();
    void number_classes();
};

} // namespace planecast::sim
