/* SPDX-License-Identifier: Apache-2.0
 *
 * A branch predictor: of each block that runs, which one comes next (Seznec, A 64-Kbytes ITTAGE
 * indirect branch predictor, 2011). A base table knows blocks alone; tagged ones know them by ever
 * more of the jumps that led there. The longest history that is known predicts. What it mispredicts
 * depends on data that no history shows, as in any core; cores differ in how much they remember.
 */
#ifndef PLANECAST_TRACE_BRANCH_PREDICTOR_HPP
#define PLANECAST_TRACE_BRANCH_PREDICTOR_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace planecast
{

class BranchPredictor
{
  public:
    BranchPredictor() : base_(ENTRIES)
    {
        for (auto &table : tagged_)
            table.resize(ENTRIES);
        for (size_t i = 0; i < TABLES; i++)
            for (size_t n = 0; n < LENGTHS[i]; n++)
                oldest_[i] *= FACTOR;
    }

    /* After the block at `from`, which ends at `end`, comes `next`: whether that was predicted. */
    bool predicted(uint64_t from, uint64_t end, uint64_t next)
    {
        std::array<Entry *, TABLES> own;
        Entry *provider = nullptr, *other = nullptr;
        size_t longest = 0; /* tables up to the provider's, which is among them */
        for (size_t i = TABLES; i > 0; i--) {
            const uint64_t hash = mixed(from ^ (history_[i - 1] + i));
            own[i - 1] = &tagged_[i - 1][hash % ENTRIES];
            const auto tag = static_cast<uint32_t>(hash >> 40);
            if (own[i - 1]->tag == tag && provider == nullptr) {
                provider = own[i - 1];
                longest = i;
            } else if (own[i - 1]->tag == tag && other == nullptr)
                other = own[i - 1];
            tags_[i - 1] = tag;
        }
        Entry *const base = &base_[mixed(from) % ENTRIES];
        if (other == nullptr)
            other = base;
        const bool young = provider != nullptr && provider->confidence == 0;
        const Entry *const asked = provider == nullptr || young ? other : provider;
        const bool right = asked->next == next;
        if (provider != nullptr) {
            if ((provider->next == next) != (other->next == next))
                provider->useful = provider->next == next;
            learn(*provider, next, CERTAIN);
        }
        if (provider == nullptr || young)
            learn(*base, next, CERTAIN_OF_BASE);
        if (!right)
            allocate(own, longest, next);
        if (next != end)
            remember(mixed(from * 3 + next));
        return right;
    }

  private:
    struct Entry {
        uint64_t next = 0;
        uint32_t tag = 0;
        uint8_t confidence = 0;
        bool useful = false;
    };
    static constexpr size_t ENTRIES = 1u << 13, TABLES = 6, LONGEST = 256;
    static constexpr std::array<size_t, TABLES> LENGTHS = {2, 5, 12, 30, 80, 200};
    static constexpr uint64_t FACTOR = 0x9e3779b97f4a7c15u;
    static constexpr uint8_t CERTAIN = 3, CERTAIN_OF_BASE = 7;
    static constexpr unsigned AGE = 4; /* of so many that find no room the useful ones age */

    static uint64_t mixed(uint64_t z)
    {
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    static void learn(Entry &entry, uint64_t next, uint8_t certain)
    {
        if (entry.next == next)
            entry.confidence += entry.confidence < certain;
        else if (entry.confidence > 0)
            entry.confidence--;
        else
            entry.next = next;
    }

    void allocate(const std::array<Entry *, TABLES> &own, size_t from, uint64_t next)
    {
        for (size_t i = from; i < TABLES; i++)
            if (!own[i]->useful) {
                *own[i] = {next, tags_[i], 0, false};
                return;
            }
        if (++crowded_ % AGE == 0)
            for (size_t i = from; i < TABLES; i++)
                own[i]->useful = false;
    }

    /* Hashes of the last jumps, one for each length: the oldest one goes out of each. */
    void remember(uint64_t jump)
    {
        jumps_[count_ % LONGEST] = jump;
        for (size_t i = 0; i < TABLES; i++) {
            const uint64_t gone = jumps_[(count_ - LENGTHS[i]) % LONGEST];
            history_[i] = history_[i] * FACTOR + jump - gone * oldest_[i];
        }
        count_++;
    }

    std::vector<Entry> base_;
    std::array<std::vector<Entry>, TABLES> tagged_;
    std::array<uint32_t, TABLES> tags_{};
    std::array<uint64_t, TABLES> history_{};
    std::array<uint64_t, TABLES> oldest_{1, 1, 1, 1, 1, 1}; /* FACTOR to the power of the length */
    std::array<uint64_t, LONGEST> jumps_{};
    uint64_t count_ = LONGEST;
    unsigned crowded_ = 0;
};

} // namespace planecast

#endif
