/* SPDX-License-Identifier: Apache-2.0
 *
 * The calling contexts of one thread: a node for each function by each way of calling it, with what
 * it did itself.
 *
 * Fed with the blocks that run. A block after a call begins a function; one after a return goes
 * back to the call that it returns to. A jump to the start of another function, or into another
 * file, is a tail call: what it leads to was called by the function that jumps, and returns for it.
 * A stub of the procedure linkage table is left out. A jump into another file to where a call
 * returns to is a longjmp, as of coroutines: it goes back to whoever made that call last.
 */
#ifndef PLANECAST_TRACE_CALL_TREE_HPP
#define PLANECAST_TRACE_CALL_TREE_HPP

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <vector>

#include "branch_kind.hpp"
#include "histogram.hpp"

namespace planecast
{

struct Node;

/* Who made a call last, and how many calls it was within. */
struct Caller {
    Node *node;
    size_t depth;
};

struct Block {
    uint64_t start, end; /* `end` is where a call returns to */
    uint32_t instructions, prefetches;
    int32_t object; /* the file that it is of; -1: not known */
    Ending ending;
    mutable Caller *caller = nullptr; /* of one that ends with a call, once it was made */
};

struct Node {
    Node *parent;
    uint64_t entry; /* address of the function; of the root: where tracing began */
    uint32_t number;
    bool excluded; /* it is none of the program's */
    uint64_t instructions = 0, prefetches = 0, mispredictions = 0;
    Touches loads, stores; /* of lines */
    Touches pages;         /* by both */
    std::map<uint64_t, Node *> callees;
};

class CallTree
{
  public:
    /* `excluded(entry)` says which functions, without what they call, are none of the program's;
     * `begins(address)` where functions begin. */
    template <typename Excluded, typename Begins>
    void enter(const Block &block, Excluded excluded, Begins begins)
    {
        const Ending ending = last_ != nullptr ? last_->ending : Ending::OTHER;
        if (now_ == nullptr)
            now_ = add(nullptr, block.start, excluded(block.start));
        else if (ending == Ending::CALL && frames_.size() < DEPTH) {
            note_caller();
            frames_.push_back({now_, last_->end});
            now_ = callee(now_, block.start, excluded);
        } else if (!frames_.empty() && ending == Ending::LINKAGE && now_->parent != nullptr)
            now_ = callee(now_->parent, block.start, excluded);
        else if (!frames_.empty() && jumped(block, begins)) {
            if (begins(block.start) || !jumped_back(block.start))
                now_ = tail(block.start, excluded);
        } else if (ending == Ending::RETURN)
            back(block, excluded);
        last_ = &block;
    }

    Node *now() const { return now_; }
    const Block *last() const { return last_; }
    const std::deque<Node> &nodes() const { return nodes_; }

  private:
    struct Frame {
        Node *caller;
        uint64_t returns_to;
    };
    static constexpr size_t DEPTH = 256;

    template <typename Begins> bool jumped(const Block &block, Begins begins) const
    {
        return last_->ending == Ending::OTHER && block.start != last_->end &&
               block.start != now_->entry &&
               (begins(block.start) ||
                (block.object >= 0 && last_->object >= 0 && block.object != last_->object));
    }

    void note_caller()
    {
        if (last_->caller == nullptr)
            last_->caller = &callers_[last_->end];
        *last_->caller = {now_, frames_.size()};
    }

    bool jumped_back(uint64_t address)
    {
        const auto found = callers_.find(address);
        if (found == callers_.end())
            return false;
        now_ = found->second.node;
        frames_.resize(std::min(frames_.size(), found->second.depth));
        return true;
    }

    /* Functions that jump to each other in turn are no deeper each time. */
    template <typename Excluded> Node *tail(uint64_t entry, Excluded excluded)
    {
        const Node *caller = frames_.back().caller;
        for (Node *node = now_; node != nullptr && node != caller; node = node->parent)
            if (node->entry == entry)
                return node;
        return callee(now_, entry, excluded);
    }

    template <typename Excluded> void back(const Block &block, Excluded excluded)
    {
        for (size_t i = frames_.size(); i > 0; i--)
            if (frames_[i - 1].returns_to == block.start) {
                now_ = frames_[i - 1].caller;
                frames_.resize(i - 1);
                return;
            }
        if (frames_.empty()) { /* out of the function in which tracing began */
            now_ = roots_.contains(block.start) ? roots_[block.start]
                                                : add(nullptr, block.start, excluded(block.start));
            roots_[block.start] = now_;
        }
    }

    template <typename Excluded> Node *callee(Node *caller, uint64_t entry, Excluded excluded)
    {
        auto [place, fresh] = caller->callees.try_emplace(entry, nullptr);
        if (fresh)
            place->second = add(caller, entry, excluded(entry));
        return place->second;
    }

    Node *add(Node *parent, uint64_t entry, bool excluded)
    {
        nodes_.push_back({parent,
                          entry,
                          static_cast<uint32_t>(nodes_.size()),
                          excluded,
                          0,
                          0,
                          0,
                          {},
                          {},
                          {},
                          {}});
        return &nodes_.back();
    }

    const Block *last_ = nullptr;
    Node *now_ = nullptr;
    std::vector<Frame> frames_;
    std::map<uint64_t, Node *> roots_;
    std::unordered_map<uint64_t, Caller> callers_; /* by where the call returns to */
    std::deque<Node> nodes_;
};

} // namespace planecast

#endif
