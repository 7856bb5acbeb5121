// A core at work: polls its tasks in turn, serves what it finds, hands it over.
//
// One step of the loop is a burst, not a packet. While nothing can arrive, the polls that would
// find nothing are counted in closed form instead of being made; and where what a core does next
// follows from when packets come and from nothing else, one step is a train of bursts
// (burst_train.cpp).
#pragma once

#include "disturber.hpp"
#include "output_run.hpp"
#include "packet_queue.hpp"
#include "planecast/simulator/model.hpp"
#include "stage_run.hpp"
#include "trace.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace planecast::sim
{

struct TaskRun {
    TaskRun(const Task &task, double ps_per_cycle);

    const Task &model;
    PacketQueue *input = nullptr;
    std::vector<StageRun> stages;
    OutputRun output;
    Ps empty_poll;
    bool plain;              // every stage is
    std::vector<Ps> service; // [n]: of a burst of n, for a plain task

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
    CoreRun(const Core &model, std::uint32_t index, const Run &run);

    // Acts until turn.limit, which waking another core lowers; leaves wake() behind.
    void run(Turn &turn, Waker &waker);
    void connected(bool alone); // to everything; alone: no other core in its group

    Ps wake() const { return wake_; } // when it next has something to do, at the earliest
    void arrival_at(Ps when) { wake_if(State::polling, when); } // into one of its inputs
    void room_at(Ps when) { wake_if(State::blocked, when); }    // in the queue that it waits for

    CoreTime time_at(Ps instant) const; // an instant at or before which all others have acted
    bool working() const { return state_ == State::serving || state_ == State::device; }
    template <class Visitor> void each_in_hand(Visitor visit) const // taken and not handed over
    {
        const Packet *burst = tasks[current_].input->in_service();
        std::for_each(burst + sent_, burst + alive_, visit);
        for (const TaskRun &task : tasks) {
            std::for_each(task.output.buffered().begin(), task.output.buffered().end(), visit);
        }
    }
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
    // Inline: one function of the host then, though it is several to read.
    inline bool poll(Turn &turn, Waker &waker); // once, or a train of bursts; false: must wait
    inline void begin(TaskRun &task, std::size_t count, Waker &waker);
    inline bool advance(Turn &turn, Waker &waker); // from any other state; false: must wait
    void serve_on(TaskRun &task);
    inline bool hand_off(TaskRun &task, Turn &turn, Waker &waker);
    bool idle(const Turn &turn);
    double slowdown() const; // by the sibling
    inline void spend(Ps cost);
    void serving_since(Ps start);
    void suffer();
    void note_step(Ps start, Ps busy, Ps CoreTime::*rest);
    void next_task() { current_ = current_ + 1 < tasks.size() ? current_ + 1 : 0; }

    static constexpr std::size_t kLargest = 64; // packets of a burst in a train, and one more
    struct Train {
        Ps begin; // of its last step, a burst or a poll
        Ps end;
        std::size_t in_hand; // packets of the burst that ends then; 0: polls again
        std::size_t packets; // those included
        std::array<std::uint32_t, kLargest> sizes{}; // bursts of so many
    };
    template <bool kFew> Train find_train(const TaskRun &task, Ps limit);
    bool serve_train(TaskRun &task, Turn &turn); // false, and then nothing is done: no train here

    std::uint32_t index_;
    Ps end_; // of the run
    State state_ = State::polling;
    Ps now_ = 0; // the next action's instant
    Ps wake_ = 0;
    std::size_t current_ = 0;
    Ps round_ = 0; // of empty polls of all tasks
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

    Ps longest_train_ = 0;         // 0: never one
    bool few_ = false;             // packets a burst, so far
    std::size_t largest_ = 0;      // packets that a burst in a train stays below
    std::uint64_t reciprocal_ = 0; // ⌊2^64 / empty poll⌋ + 1
    std::vector<Ps> handed_;       // when each packet of a train was handed over
};

} // namespace planecast::sim
