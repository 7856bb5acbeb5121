// A core at work: polls its tasks in turn, serves what it finds, hands it over.
//
// One step of the loop is a burst, not a packet. While nothing can arrive, the polls that would
// find nothing are counted in closed form instead of being made.
#pragma once

#include "disturber.hpp"
#include "output_run.hpp"
#include "packet_queue.hpp"
#include "stage_run.hpp"
#include "trace.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace planecast::sim
{

struct TaskRun {
    TaskRun(const Task &task, double ps_per_cycle);
    void price();                 // after a change of a stage's memory_ps
    double plain_cost_ps() const; // so far, of a plain task

    const Task &model;
    PacketQueue *input = nullptr;
    std::vector<StageRun> stages;
    OutputRun output;
    Ps empty_poll;
    bool plain;          // cost is burst_ps + n·packet_ps
    double burst_ps = 0; // all stages together
    double packet_ps = 0;
    std::vector<Ps> service;   // [n]: of a burst of n, for a plain task
    double priced_cost_ps = 0; // up to the last price() …
    std::uint64_t priced_bursts = 0;
    std::uint64_t priced_packets = 0;

    std::uint64_t bursts = 0;
    std::uint64_t packets = 0;
    std::uint64_t dropped = 0; // by stages
    std::uint64_t empty_polls = 0;
    std::vector<std::uint64_t> burst_sizes;
};

// Picoseconds of a core's past.
struct CoreTime {
    Ps busy = 0;
    Ps polling = 0;
    Ps waiting = 0;
    Ps disturbed = 0;
};

// What a core may do until it must ask again.
struct Turn {
    Ps limit;                // acts before this instant
    Ps horizon;              // arrivals from outside are known up to here
    std::uint64_t steps = 0; // counts up
};

class CoreRun
{
  public:
    CoreRun(const Core &model, std::uint32_t index, std::uint64_t seed);

    // Acts until turn.limit, which waking another core lowers; leaves wake() behind.
    void run(Turn &turn, Waker &waker);
    void choose_loop(bool alone); // once everything is connected; alone: no other core in its group

    Ps wake() const { return wake_; } // when it next has something to do, at the earliest
    void arrival_at(Ps when) { wake_if(State::polling, when); } // into one of its inputs
    void room_at(Ps when) { wake_if(State::blocked, when); }    // in the queue that it waits for

    CoreTime time_at(Ps instant) const; // an instant at or before which all others have acted
    bool working() const { return state_ == State::serving || state_ == State::device; }
    std::size_t in_hand() const; // packets taken and not handed over
    void count_in_hand(std::vector<ClassCount> &classes) const;
    std::uint64_t pending_polls(Ps instant) const;
    bool overslept(Ps instant) const; // something has shown in an input before that, unnoticed

    const Core &model;
    std::vector<TaskRun> tasks;
    const CoreRun *sibling = nullptr;
    Trace *trace = nullptr;

  private:
    enum class State { polling, serving, device, blocked };

    void wake_if(State state, Ps when)
    {
        if (state_ == state) {
            wake_ = std::min(wake_, std::max(when, now_));
        }
    }
    template <bool kAlone> void run_straight(Turn &turn); // run() for the common core
    void begin(TaskRun &task, std::size_t count, Waker &waker);
    bool advance(Turn &turn, Waker &waker); // from any state but polling; false: must wait
    void serve_on(TaskRun &task);
    bool hand_over(TaskRun &task, Turn &turn, Waker &waker);
    bool idle(const Turn &turn); // true: some polls were skipped, false: must wait
    bool skip_polls(Ps target, const Turn &turn);
    void spend(double cost_ps);
    void suffer();
    void note_step(Ps start, Ps busy, Ps CoreTime::*rest);
    void next_task() { current_ = current_ + 1 < tasks.size() ? current_ + 1 : 0; }

    std::uint32_t index_;
    State state_ = State::polling;
    Ps now_ = 0; // the next action's instant
    Ps wake_ = 0;
    std::size_t current_ = 0;
    bool straight_ = false;
    bool alone_ = false;
    std::vector<Ps> handed_; // of FreshBursts
    bool buffers_;           // some output has a drain timer
    Random random_;
    Disturber disturber_;
    CoreTime time_;
    Ps step_start_ =
        0; // the step that ends at now_: busy first, then disturbed, waiting or polling
    Ps step_busy_ = 0;
    Ps CoreTime::*step_rest_ = &CoreTime::polling;

    std::size_t taken_ = 0; // of the burst in service
    std::size_t alive_ = 0; // of them not dropped
    std::size_t sent_ = 0;
    std::size_t stage_ = 0; // next stage
};

} // namespace planecast::sim
