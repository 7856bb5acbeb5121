/* SPDX-License-Identifier: Apache-2.0 */
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

#include "branch_kind.hpp"
#include "branch_predictor.hpp"
#include "call_tree.hpp"
#include "histogram.hpp"

using namespace planecast;

namespace
{

TEST(Histogram, BinsTileAllDistances)
{
    for (size_t bin = 0; bin + 1 < BINS; bin++) {
        ASSERT_LT(bin_start(bin), bin_start(bin + 1));
        ASSERT_EQ(bin_of(bin_start(bin)), bin);
        ASSERT_EQ(bin_of(bin_start(bin + 1) - 1), bin);
    }
    EXPECT_EQ(bin_of(15), 15u);
    EXPECT_EQ(bin_start(bin_of((1ull << 40) - 1)), (1ull << 40) - (1ull << 36));
}

TEST(BranchKind, CallsReturnsAndLinkage)
{
    const std::vector<std::pair<std::vector<uint8_t>, Ending>> known = {
        {{0xe8, 1, 2, 3, 4}, Ending::CALL},
        {{0xff, 0xd0}, Ending::CALL},             /* call *%rax */
        {{0x41, 0xff, 0x14, 0x24}, Ending::CALL}, /* call *(%r12) */
        {{0xc3}, Ending::RETURN},
        {{0xf3, 0xc3}, Ending::RETURN},
        {{0xf2, 0xff, 0x25, 1, 2, 3, 4}, Ending::LINKAGE}, /* bnd jmp *offset(%rip) */
        {{0xff, 0xe0}, Ending::OTHER},                     /* jmp *%rax */
        {{0xe9, 1, 2, 3, 4}, Ending::OTHER},
        {{0x48, 0x89, 0xd8}, Ending::OTHER},
        {{0x66}, Ending::OTHER},
    };
    for (const auto &[bytes, ending] : known)
        EXPECT_EQ(ending_of(bytes.data(), bytes.size()), ending) << std::hex << int(bytes[0]);
}

TEST(BranchKind, Prefetches)
{
    const uint8_t prefetcht0[] = {0x0f, 0x18, 0x08}, prefetchw[] = {0x41, 0x0f, 0x0d, 0x0c, 0x24},
                  nop[] = {0x0f, 0x1f, 0x00}, endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
    EXPECT_TRUE(is_prefetch(prefetcht0, sizeof prefetcht0));
    EXPECT_TRUE(is_prefetch(prefetchw, sizeof prefetchw));
    EXPECT_FALSE(is_prefetch(nop, sizeof nop));
    EXPECT_FALSE(is_prefetch(endbr, sizeof endbr));
}

/* Share of the branches that are mispredicted at the end of a block, as `taken` says of each; three
 * other blocks run between. */
double mispredicted(const std::function<bool(size_t)> &taken)
{
    constexpr size_t BRANCHES = 200000;
    BranchPredictor predictor;
    size_t wrong = 0;
    for (size_t i = 0; i < BRANCHES; i++) {
        const uint64_t next = taken(i) ? 0x2000 : 0x1010;
        const bool right = predictor.predicted(0x1000, 0x1010, next);
        wrong += i >= BRANCHES / 2 && !right;
        predictor.predicted(next, next + 16, 0x3000);
        predictor.predicted(0x3000, 0x3010, 0x3010);
        predictor.predicted(0x3010, 0x3020, 0x1000);
    }
    return static_cast<double>(wrong) / (BRANCHES / 2.0);
}

TEST(BranchPredictor, LearnsWhatHistoryShows)
{
    EXPECT_LT(mispredicted([](size_t) { return true; }), 1e-4);
    EXPECT_LT(mispredicted([](size_t i) { return i % 2 == 0; }), 1e-3);
    EXPECT_LT(mispredicted([](size_t i) { return i % 7 == 0; }), 1e-3); /* a loop's end */
    EXPECT_LT(mispredicted([](size_t i) { return i % 32 == 0; }), 1e-3);
}

TEST(BranchPredictor, MissesWhatNoHistoryShows)
{
    for (const double share : {0.03, 0.1, 0.25, 0.5}) {
        std::mt19937 random(1);
        std::bernoulli_distribution taken(share);
        const double wrong = mispredicted([&](size_t) { return taken(random); });
        EXPECT_GT(wrong, 0.9 * share) << share;
        EXPECT_LT(wrong, 1.5 * share) << share;
    }
}

/* Blocks of 16 bytes; a call returns to the block after it. */
struct Running {
    CallTree tree;
    std::deque<Block> blocks;

    const Node *at(uint64_t start, Ending ending, int32_t file = 0)
    {
        blocks.push_back({start, start + 16, 4, 0, file, ending});
        tree.enter(
            blocks.back(), [](uint64_t entry) { return entry == 0x9000; },
            [](uint64_t address) { return address % 0x1000 == 0; });
        return tree.now();
    }
};

TEST(CallTree, ReturnsLeadBack)
{
    Running thread;
    const Node *main = thread.at(0x1000, Ending::CALL);
    const Node *callee = thread.at(0x2000, Ending::OTHER);
    EXPECT_EQ(callee->parent, main);
    EXPECT_EQ(thread.at(0x2010, Ending::RETURN), callee);
    EXPECT_EQ(thread.at(0x1010, Ending::CALL), main);
    EXPECT_EQ(thread.at(0x2000, Ending::CALL), callee); /* the same context again */
    EXPECT_EQ(thread.at(0x3000, Ending::RETURN)->parent, callee);
    EXPECT_EQ(thread.tree.nodes().size(), 3u);
}

TEST(CallTree, TailCallsAreCallsThatReturnForTheCaller)
{
    Running thread;
    const Node *main = thread.at(0x1000, Ending::CALL);
    thread.at(0x2010, Ending::LINKAGE); /* a stub of the procedure linkage table */
    const Node *real = thread.at(0x3000, Ending::OTHER);
    EXPECT_EQ(real->parent, main);
    EXPECT_EQ(real->entry, 0x3000u);
    const Node *tail = thread.at(0x4000, Ending::OTHER); /* a jump to another function's start */
    EXPECT_EQ(tail->parent, real);
    EXPECT_EQ(thread.at(0x4800, Ending::OTHER), tail);               /* a jump within it */
    EXPECT_EQ(thread.at(0x3000, Ending::OTHER), real);               /* in turn */
    EXPECT_EQ(thread.at(0x5010, Ending::RETURN, 1)->entry, 0x5010u); /* into another file */
    EXPECT_EQ(thread.at(0x1010, Ending::OTHER), main);
}

TEST(CallTree, OutOfTheFunctionInWhichItBegan)
{
    Running thread;
    thread.at(0x2010, Ending::RETURN);
    const Node *outer = thread.at(0x1010, Ending::CALL);
    EXPECT_EQ(outer->parent, nullptr);
    thread.at(0x2000, Ending::RETURN);
    EXPECT_EQ(thread.at(0x1020, Ending::OTHER), outer);
}

/* A main loop that takes turns with a coroutine: setjmp returns a second time. */
TEST(CallTree, LongJumpsLeadBackToWhoCalledSetjmp)
{
    Running thread;
    const Node *loop = thread.at(0x1000, Ending::CALL);
    for (int turn = 0; turn < 1000; turn++) {
        EXPECT_EQ(thread.at(0x8000, Ending::RETURN, 1)->parent, loop); /* setjmp */
        EXPECT_EQ(thread.at(0x1010, Ending::CALL), loop);
        thread.at(0x2000, Ending::CALL); /* the coroutine */
        thread.at(0x3000, Ending::CALL);
        thread.at(0x4000, Ending::OTHER, 1); /* longjmp */
        EXPECT_EQ(thread.at(0x1010, Ending::CALL), loop);
        EXPECT_EQ(thread.at(0x5000, Ending::RETURN)->parent, loop);
        EXPECT_EQ(thread.at(0x1020, Ending::OTHER), loop);
        EXPECT_EQ(thread.at(0x1000, Ending::CALL), loop);
    }
    EXPECT_EQ(thread.tree.nodes().size(), 6u);
}

TEST(CallTree, OnlyTheFunctionItselfIsExcluded)
{
    Running thread;
    thread.at(0x1000, Ending::CALL);
    EXPECT_TRUE(thread.at(0x9000, Ending::CALL)->excluded);
    EXPECT_FALSE(thread.at(0x3000, Ending::OTHER)->excluded);
}

} // namespace
