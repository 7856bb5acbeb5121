#include "frame_times.hpp"
#include "pcie.hpp"

#include <gtest/gtest.h>

namespace planecast::sim
{

TEST(Pcie, Gen3x8DataRate)
{
    Pcie link;
    link.raw_bps = 8 * 8e9 * 128 / 130;
    EXPECT_NEAR(pcie_data_rate_bps(link) * 1e-9, 57.9, 0.05);
}

TEST(Pcie, WritesAndReads)
{
    Pcie link;
    EXPECT_EQ(pcie_write(link, 64).to_memory, 64 + 24);
    EXPECT_EQ(pcie_write(link, 256).to_memory, 256 + 24);
    EXPECT_EQ(pcie_write(link, 257).to_memory, 257 + 48);
    EXPECT_EQ(pcie_read(link, 513).to_memory, 48);
    EXPECT_EQ(pcie_read(link, 513).from_memory, 513 + 3 * 20);
}

TEST(Pcie, NoLinkNoTime)
{
    EXPECT_TRUE(rx_engine_times(Nic{}, 1518).empty());
}

TEST(FrameTimes, TenGigabitSmallFrames)
{
    Port port;
    port.line_rate_bps = 10e9;
    EXPECT_EQ(wire_times(port, 64).back(), 67200);
    port.tx_limit_pps = 10e6;
    EXPECT_EQ(tx_wire_times(port, 64).back(), 100000);
}

} // namespace planecast::sim
