#include "packet_queue.hpp"

#include "random.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

Packet born(Ps time)
{
    return {time, 0, 64, 0, 0};
}

void write(PacketQueue &queue, std::initializer_list<Ps> times)
{
    queue.reserve(times.size());
    for (Ps time : times) {
        queue.write(born(time), time);
    }
    queue.seal();
}

std::size_t inside(const PacketQueue &queue)
{
    std::size_t count = 0;
    queue.each_inside([&count](const Packet &) { ++count; });
    return count;
}

} // namespace

TEST(PacketQueue, TheLastOnesDropWhenFull)
{
    PacketQueue queue("q", 2, true);
    write(queue, {10, 20, 30, 40});
    EXPECT_EQ(queue.next_ready(), 10);
    EXPECT_EQ(queue.take(35, 1), 1U);
    EXPECT_EQ(queue.counts.dropped, 1U); // 30 found it full
    EXPECT_EQ(queue.in_service()->born, 10);
    queue.release(1);
    EXPECT_EQ(queue.take(50, 32), 2U); // 40 came after one had left
    EXPECT_EQ(queue.in_service()[1].born, 40);
    EXPECT_EQ(queue.counts.entered, 3U);
    EXPECT_EQ(queue.counts.max, 2U);
    EXPECT_EQ(queue.next_ready(), kNever);
}

TEST(PacketQueue, AreaIsTheSumOfWaits)
{
    PacketQueue queue("q", 8, true);
    write(queue, {0, 5, 9});
    queue.take(7, 1);
    EXPECT_TRUE(queue.counts.area == 9); // 7 + 2
    EXPECT_TRUE(queue.counts.waits == 7);
    queue.settle(10);
    EXPECT_TRUE(queue.counts.area == 9 + 3 + 1);
    EXPECT_TRUE(queue.counts.area == queue.counts.waits + queue.waits_of_waiting(10));
}

TEST(PacketQueue, PacketsOfARowAreCountedAtOnce)
{
    PacketQueue queue("q", 8, true);
    write(queue, {0, 5, 9});
    EXPECT_TRUE(queue.nothing_waits());
    EXPECT_EQ(queue.unseen()[1], 5);
    queue.pass(2, 2, 7); // both at 6
    EXPECT_EQ(queue.counts.left, 2U);
    EXPECT_EQ(queue.in_service()[1].born, 5);
    EXPECT_EQ(queue.next_ready(), 9);
    EXPECT_TRUE(queue.counts.area == 7 && queue.counts.waits == 7);
}

TEST(PacketQueue, SurvivesMillionsWithAFewThousandPlaces)
{
    PacketQueue queue("q", 16, true);
    Ps next = 0;
    Ps expected = 0;
    for (int round = 0; round < 20000; ++round) {
        queue.reserve(100);
        for (int i = 0; i < 100; ++i) {
            queue.write(born(next), next);
            next += 10;
        }
        queue.seal();
        for (Ps now = next - 1000; now < next; now += 70) {
            std::size_t count = queue.take(now, 8);
            for (std::size_t i = 0; i < count; ++i) {
                ASSERT_EQ(queue.in_service()[i].born, expected);
                expected += 10;
            }
            queue.release(count);
        }
    }
    EXPECT_EQ(queue.counts.dropped, 0U);
}

TEST(PacketQueue, InstantsAreEnoughOfPacketsThatAreAlike)
{
    constexpr Ps kLatency = 7;
    PacketQueue whole("whole", 16, true);
    PacketQueue instants("instants", 16, true);
    instants.keep_instants_only({0, 3, 64, 0, 0}, kLatency);
    Random random(4);
    Ps next = kLatency;
    for (int round = 0; round < 300; ++round) {
        for (PacketQueue *queue : {&whole, &instants}) {
            queue->reserve(100);
        }
        const Ps start = next;
        for (int i = 0; i < 100; ++i) {
            whole.write({next - kLatency, 3, 64, 0, 0}, next);
            instants.write({}, next);
            next += random.below(20);
        }
        whole.seal();
        instants.seal();
        for (Ps now = start; now < next; now += 60 + 3 * (round % 30)) { // from idle to full
            const std::size_t count = whole.take(now, 8);
            ASSERT_EQ(instants.take(now, 8), count);
            for (std::size_t i = 0; i < count; ++i) {
                ASSERT_EQ(instants.in_service()[i].born, whole.in_service()[i].born);
                ASSERT_EQ(instants.in_service()[i].flow_hash, 3U);
            }
            whole.release(count);
            instants.release(count);
        }
        ASSERT_EQ(instants.counts.dropped, whole.counts.dropped);
        ASSERT_EQ(inside(instants), inside(whole));
    }
    EXPECT_GT(whole.counts.dropped, 0U);
    EXPECT_TRUE(instants.counts.waits == whole.counts.waits);
}

TEST(PacketQueue, PushedPacketsShowAfterTheHandover)
{
    PacketQueue queue("q", 2, false);
    queue.push(born(0), 10, 25);
    EXPECT_EQ(queue.room(), 1U);
    EXPECT_EQ(queue.take(20, 32), 0U);
    EXPECT_EQ(queue.next_ready(), 25);
    EXPECT_TRUE(queue.counts.area == 10); // up to the last look
    EXPECT_EQ(queue.take(25, 32), 1U);
    EXPECT_TRUE(queue.counts.waits == 15); // since it was put in
    EXPECT_TRUE(queue.counts.area == 15);
}

} // namespace planecast::sim
