/* SPDX-License-Identifier: Apache-2.0
 *
 * Stack distances (Mattson, Gecsei, Slutz, Traiger 1970): of each touched line, how many distinct
 * lines were touched since it was last. A fully associative cache with LRU of n lines misses what
 * has a distance of n or more. Of pages likewise: a TLB is a cache of them.
 *
 * Most touches go to a line touched just before, so the latest RECENT lines are a list that is
 * searched. A line that falls off its end gets the next slot of a Fenwick tree over time, in which
 * the lines that fell off later are counted in O(log n). Slots that ran out are numbered again.
 */
#ifndef PLANECAST_TRACE_STACK_DISTANCE_HPP
#define PLANECAST_TRACE_STACK_DISTANCE_HPP

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <utility>
#include <vector>

namespace planecast
{

class StackDistance
{
  public:
    static constexpr uint64_t COLD = UINT64_MAX; /* never touched before */

    explicit StackDistance(uint32_t slots = 1u << 16) : tree_(slots + 1), line_of_(slots) {}

    /* Touches a line; its distance, or COLD. */
    uint64_t touch(uint64_t line)
    {
        for (size_t i = 0; i < recent_count_; i++)
            if (recent_[i] == line) {
                std::memmove(recent_ + 1, recent_, i * sizeof *recent_);
                recent_[0] = line;
                return i;
            }
        uint64_t distance = COLD;
        auto found = slot_of_.find(line);
        if (found != slot_of_.end()) {
            distance = recent_count_ + slot_of_.size() - sum(found->second);
            add(found->second, -1);
            slot_of_.erase(found);
        }
        push(line);
        return distance;
    }

    /* Distinct lines touched so far. */
    uint64_t lines() const { return recent_count_ + slot_of_.size(); }

  private:
    static constexpr size_t RECENT = 24;

    void push(uint64_t line)
    {
        if (recent_count_ == RECENT)
            retire(recent_[RECENT - 1]);
        else
            recent_count_++;
        std::memmove(recent_ + 1, recent_, (recent_count_ - 1) * sizeof *recent_);
        recent_[0] = line;
    }

    void retire(uint64_t line)
    {
        if (next_ == line_of_.size())
            renumber();
        slot_of_[line] = next_;
        line_of_[next_] = line;
        add(next_, 1);
        next_++;
    }

    /* The lines keep their order; there is room for as many again. */
    void renumber()
    {
        std::vector<std::pair<uint32_t, uint64_t>> live;
        live.reserve(slot_of_.size());
        for (const auto &[line, slot] : slot_of_)
            live.emplace_back(slot, line);
        std::sort(live.begin(), live.end());
        const size_t slots = std::max(line_of_.size(), 2 * live.size());
        line_of_.assign(slots, 0);
        tree_.assign(slots + 1, 0);
        next_ = 0;
        for (const auto &[slot, line] : live) {
            slot_of_[line] = next_;
            line_of_[next_] = line;
            add(next_, 1);
            next_++;
        }
    }

    void add(uint32_t slot, int32_t change)
    {
        for (size_t i = slot + 1; i < tree_.size(); i += i & (~i + 1))
            tree_[i] += static_cast<uint32_t>(change);
    }

    /* Lines in slots up to this one, which is among them. */
    uint64_t sum(uint32_t slot) const
    {
        uint64_t found = 0;
        for (size_t i = slot + 1; i > 0; i &= i - 1)
            found += tree_[i];
        return found;
    }

    uint64_t recent_[RECENT] = {};
    size_t recent_count_ = 0;
    std::vector<uint32_t> tree_;    /* Fenwick: 1 for a slot with a line */
    std::vector<uint64_t> line_of_; /* by slot */
    std::unordered_map<uint64_t, uint32_t> slot_of_;
    uint32_t next_ = 0;
};

} // namespace planecast

#endif
