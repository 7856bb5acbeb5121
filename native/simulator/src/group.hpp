// Cores that influence each other, with all they share, in one order of time.
#pragma once

#include "core_run.hpp"
#include "layout.hpp"
#include "snapshot.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace planecast::sim
{

class Group final : public Waker
{
  public:
    Group(const Layout &layout, std::size_t number);

    // Everything before this instant.
    void run_until(Ps horizon);
    // Brings what is lazy up to date: arrivals and departures before this instant are counted.
    void settle(Ps instant);

    void count(Snapshot &now, Ps instant) const; // adds its own

    void arrival(std::uint32_t core, Ps when) override;
    void room(std::uint32_t core, Ps when) override;

    std::vector<std::pair<std::size_t, std::unique_ptr<CoreRun>>> cores; // by number in the model
    std::map<std::size_t, std::unique_ptr<PacketQueue>> queues;          // by Layout's number
    std::vector<std::pair<std::size_t, TxQueue *>> tx_queues;
    Recorder recorder;
    Trace trace;
    std::uint64_t steps = 0;

  private:
    void build_core(const Layout &layout, std::size_t number);
    void connect(const Layout &layout, const Output &output, OutputRun &run, std::size_t tx_number);
    Device *device(const Layout &layout, const std::string &name);
    TxWire &wire(const Layout &layout, std::size_t port);
    PacketQueue *queue(std::size_t number) const;

    std::map<std::size_t, TxEngine> engines_;           // by card
    std::map<std::size_t, TxWire> wires_;               // by port
    std::map<std::size_t, std::vector<Ps>> wire_times_; // by port and frame size
    std::map<std::size_t, Device> devices_;             // by accelerator
    std::vector<CoreRun *> by_number_;
    Turn turn_{0, 0};
    CoreRun *running_ = nullptr;
};

} // namespace planecast::sim
