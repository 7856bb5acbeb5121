// Where a task's packets go: out of the model, to a port, to a ring, to a device.
#pragma once

#include "device.hpp"
#include "packet_queue.hpp"
#include "planecast/simulator/core_model.hpp"
#include "recorder.hpp"
#include "tx_queue.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace planecast::sim
{

// Cores that something has happened to, for whoever schedules them.
class Waker
{
  public:
    virtual void arrival(std::uint32_t core, Ps when) = 0;
    virtual void room(std::uint32_t core, Ps when) = 0;

  protected:
    ~Waker() = default;
};

class OutputRun
{
  public:
    explicit OutputRun(const Output &output) : model(output) {}

    // Hands over what it can; returns how many of them are dealt with (handed over or dropped).
    // Fewer than `count` only with WhenFull::wait; wait_until() then says when to try again.
    std::size_t deliver(const Packet *packets, std::size_t count, Ps now, std::uint32_t core,
                        Waker &waker);

    // Hands over each packet at an instant of its own and drops what finds no room: out of the
    // model or to a port without a buffer. Nobody may ask before `until`. `Row`: see Recorder.
    template <class Row>
    void deliver_row(const Row &packets, const Ps *handed, std::size_t count, Ps until)
    {
        if (tx != nullptr) {
            tx->send_each(packets, handed, count, until);
        } else {
            recorder->forward(packets, handed, count);
        }
    }

    Ps wait_until() const { return wait_until_; }
    Ps deadline() const { return deadline_; } // of the drain timer; kNever with an empty buffer
    void flush(Ps now);
    const std::vector<Packet> &buffered() const { return buffer_; }

    const Output &model;
    Recorder *recorder = nullptr; // none
    std::unique_ptr<TxQueue> tx;  // port
    PacketQueue *queue = nullptr; // ring, accelerator
    Ps handoff = 0;               // ring
    Device *device = nullptr;     // accelerator

  private:
    inline std::size_t to_port(const Packet *packets, std::size_t count, Ps now);
    std::size_t to_queue(const Packet *packets, std::size_t count, Ps now, std::uint32_t core,
                         Waker &waker);

    std::vector<Packet> buffer_;
    Ps deadline_ = kNever;
    Ps wait_until_ = kNever;
};

} // namespace planecast::sim
