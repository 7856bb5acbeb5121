// SPDX-License-Identifier: Apache-2.0
//
// Good packets of each function's format, spoilt in every way that a random number generator finds,
// through all of its stages. The sanitizers are the judge; the bytes behind a packet are poisoned
// (source.c).
//
// PLANECAST_MUTATED_PACKETS says how many for each function; `make fuzz-dataplane` takes 20
// million.
#include <gtest/gtest.h>
#include <rte_dev.h>
#include <rte_ethdev.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "../config.h"
}
#include "inline_functions.h"

namespace
{

using Frame = std::vector<uint8_t>;
using Random = std::mt19937;

constexpr uint32_t flows = 64, stations = 16;
constexpr uint64_t usual_packets = 100'000, round_packets = 50'000;

uint32_t below(Random &random, uint32_t end)
{
    return std::uniform_int_distribution<uint32_t>(0, end - 1)(random);
}

void put16(Frame &frame, size_t at, uint32_t value)
{
    frame[at] = static_cast<uint8_t>(value >> 8);
    frame[at + 1] = static_cast<uint8_t>(value);
}

uint32_t checksum(const Frame &frame, size_t at)
{
    uint32_t sum = 0;
    for (size_t i = at; i < at + 20; i += 2)
        sum += static_cast<uint32_t>(frame[i] << 8 | frame[i + 1]);
    sum = (sum & 0xFFFF) + (sum >> 16);
    return ~(sum + (sum >> 16)) & 0xFFFF;
}

// IPv4 and UDP that the functions know, behind `at` bytes, from `network`.0.0.0/8.
void put_ip(Frame &frame, size_t at, uint8_t network, Random &random)
{
    const auto bytes = static_cast<uint32_t>(frame.size() - at);
    frame[at] = 0x45;
    frame[at + 1] = static_cast<uint8_t>(below(random, 64) << 2);
    put16(frame, at + 2, bytes);
    frame[at + 8] = 64;
    frame[at + 9] = 17;
    frame[at + 12] = network;
    for (size_t i = at + 13; i < at + 20; i++)
        frame[i] = static_cast<uint8_t>(random());
    put16(frame, at + 10, checksum(frame, at));
    frame[at + 20] = 4; // port 1024 and up, to 0
    put16(frame, at + 24, bytes - 20);
}

Frame good_frame(function_id id, Random &random)
{
    Frame frame(60 + (below(random, 4) == 0 ? below(random, 1455) : 0));
    frame[0] = frame[6] = 2;
    frame[5] = static_cast<uint8_t>(below(random, stations));
    frame[11] = static_cast<uint8_t>(below(random, stations));
    if (below(random, 16) == 0)
        std::fill_n(frame.begin(), 6, 0xFF);
    if (functions[id].format == FORMAT_QINQ) {
        put16(frame, 12, 0x88A8);
        put16(frame, 16, 0x8100);
        frame[19] = static_cast<uint8_t>(below(random, flows));
        put16(frame, 20, 0x0800);
        put_ip(frame, 22, 0, random); // what the firewall permits
    } else {
        put16(frame, 12, 0x0800);
        put_ip(frame, 14, 10, random);
    }
    return frame;
}

void mutate(Frame &frame, size_t ip, Random &random)
{
    constexpr std::array<uint8_t, 8> interesting = {0, 1, 0x44, 0x46, 0x7F, 0x80, 0xFE, 0xFF};
    const auto headers = static_cast<uint32_t>(std::min<size_t>(frame.size(), ip + 28));
    switch (below(random, 9)) {
    case 0: // a bit or a few, anywhere in the headers
        for (uint32_t i = 0; i <= below(random, 4); i++)
            frame[below(random, headers)] ^= static_cast<uint8_t>(1U << below(random, 8));
        break;
    case 1:
        frame[below(random, headers)] = interesting[below(random, interesting.size())];
        break;
    case 2: // cut anywhere
        frame.resize(1 + below(random, static_cast<uint32_t>(frame.size())));
        break;
    case 3: // cut where the headers end, all of them or Ethernet's
        frame.resize(std::min<size_t>(frame.size(),
                                      (below(random, 2) == 0 ? ip + 18 : 6) + below(random, 20)));
        break;
    case 4: // longer than one buffer
        frame.resize(frame.size() + below(random, 7000), 0xAA);
        break;
    case 5: // the total length says anything
        if (frame.size() > ip + 3) {
            frame[ip + 2] = interesting[below(random, interesting.size())];
            frame[ip + 3] = static_cast<uint8_t>(random());
        }
        break;
    case 6: // the time to live ends, the checksum still right
        if (frame.size() > ip + 20) {
            frame[ip + 8] = static_cast<uint8_t>(below(random, 3));
            put16(frame, ip + 10, 0);
            put16(frame, ip + 10, checksum(frame, ip));
        }
        break;
    case 7: // from anywhere, to anywhere
        std::generate_n(frame.begin(), std::min<size_t>(frame.size(), 12),
                        [&] { return static_cast<uint8_t>(random()); });
        break;
    default:
        std::generate(frame.begin(), frame.end(), [&] { return static_cast<uint8_t>(random()); });
    }
}

template <typename Number> void put(std::ofstream &file, Number number)
{
    file.write(reinterpret_cast<const char *>(&number), sizeof number);
}

void write_packets(const std::filesystem::path &path, function_id id, uint64_t count,
                   Random &random)
{
    std::ofstream file(path, std::ios::binary);
    for (const uint32_t word : {0xA1B2C3D4U, 0x00040002U, 0U, 0U, 65535U, 1U})
        put(file, word);
    for (uint64_t i = 0; i < count; i++) {
        Frame frame = good_frame(id, random);
        for (uint32_t mutations = below(random, 4); mutations > 0; mutations--)
            mutate(frame, functions[id].format == FORMAT_QINQ ? 22 : 14, random);
        const auto bytes = static_cast<uint32_t>(frame.size());
        for (const uint32_t word : {0U, 0U, bytes, bytes})
            put(file, word);
        file.write(reinterpret_cast<const char *>(frame.data()),
                   static_cast<std::streamsize>(bytes));
    }
    ASSERT_TRUE(file.good()) << path;
}

// A port that reads a file and forgets what is sent to it.
class FilePort
{
  public:
    explicit FilePort(uint32_t number) : name_("net_pcap" + std::to_string(number)) {}
    ~FilePort() { EXPECT_EQ(rte_eal_hotplug_remove("vdev", name_.c_str()), 0) << name_; }
    FilePort(const FilePort &) = delete;
    FilePort &operator=(const FilePort &) = delete;

    int plug(const std::filesystem::path &path)
    {
        uint16_t port = 0;
        EXPECT_EQ(rte_eal_hotplug_add("vdev", name_.c_str(), ("rx_pcap=" + path.string()).c_str()),
                  0);
        EXPECT_EQ(rte_eth_dev_get_port_by_name(name_.c_str(), &port), 0);
        return port;
    }

  private:
    std::string name_;
};

// Every second round takes the other look-up, where a function has two.
struct config config_of(function_id id, uint64_t round)
{
    struct config config;
    config_defaults(&config);
    std::array<char, 256> error{};
    config.function = id;
    EXPECT_TRUE(pipeline_parse(&functions[id], "all", &config.pipeline, error.data(), error.size()))
        << error.data();
    config.acl_rules = config.routes = flows;
    if (round % 2 == 1) {
        config.down_lookup = LOOKUP_HASH;
        config.route_lookup = ROUTE_LOOKUP_FIB;
    }
    config.flows = config.active_flows = flows;
    config.bridge_entries = 1000; // fewer than the stations that mutations make
    config.mbufs = 8192;
    config.stage_clock = 1;
    config.lcores.cpu[0] = 0;
    config.rx.count = config.tx.count = functions[id].chooses ? 3 : 1;
    return config;
}

// An iteration of the compute reference takes ten microseconds and reads nothing of its packet: it
// gets a hundredth.
uint64_t packets_asked(function_id id)
{
    const char *asked = std::getenv("PLANECAST_MUTATED_PACKETS");
    const uint64_t packets = asked == nullptr ? usual_packets : std::strtoull(asked, nullptr, 10);
    return id == FUNCTION_COMPUTE ? std::max<uint64_t>(packets / 100, 1) : packets;
}

// What each function must have dropped for, or the packets tried too little of it.
std::vector<int> expected_causes(function_id id)
{
    switch (id) {
    case FUNCTION_VPE_UPSTREAM:
        return {DROP_HEADER, DROP_ACL, DROP_FLOW_MISS, DROP_POLICER, DROP_TTL};
    case FUNCTION_VPE_DOWNSTREAM:
        return {DROP_HEADER, DROP_TTL, DROP_OVERSIZE, DROP_ROUTE_MISS};
    case FUNCTION_MACSWAP:
        return {DROP_HEADER};
    case FUNCTION_L2BRIDGE:
        return {DROP_HEADER, DROP_FILTERED};
    case FUNCTION_IP4:
        return {DROP_HEADER, DROP_CHECKSUM, DROP_MARTIAN, DROP_TTL};
    default:
        return {};
    }
}

struct Mutation : testing::TestWithParam<int> {
    Mutation() { std::filesystem::create_directories(folder); }
    ~Mutation() override { std::filesystem::remove_all(folder); }

    // One round: `packets` through all ports; into `sum`.
    void run(struct config config, uint64_t packets, test_counts &sum)
    {
        std::vector<std::unique_ptr<FilePort>> ports;
        for (uint32_t i = 0; i < config.rx.count; i++) {
            const auto path = folder / ("mutated" + std::to_string(i) + ".pcap");
            const uint64_t share =
                packets * (i + 1) / config.rx.count - packets * i / config.rx.count;
            write_packets(path, static_cast<function_id>(config.function), share, random);
            ports.push_back(std::make_unique<FilePort>(i));
            config.rx.port[i] = config.tx.port[i] = ports[i]->plug(path);
        }
        test_counts counts{};
        std::array<char, 512> error{};
        ASSERT_TRUE(test_trial(&config, packets, 600, &counts, error.data(), error.size()))
            << error.data();
        EXPECT_TRUE(counts.conserved);
        EXPECT_EQ(counts.in, packets);
        sum.out += counts.out;
        for (int cause = 0; cause < DROP_CAUSES; cause++)
            sum.drops[cause] += counts.drops[cause];
    }

    const std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                         ("planecast-mutation-test-" + std::to_string(getpid()));
    Random random{1};
};

std::string name_of(const testing::TestParamInfo<int> &info)
{
    std::string name = functions[info.param].name;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

} // namespace

TEST_P(Mutation, NoPacketHurts)
{
    const auto id = static_cast<function_id>(GetParam());
    const uint64_t packets = packets_asked(id);
    test_counts sum{};
    for (uint64_t done = 0; done < packets && !HasFailure(); done += round_packets)
        run(config_of(id, done / round_packets), std::min(packets - done, round_packets), sum);
    EXPECT_GT(sum.out, packets / 10);
    for (const int cause : expected_causes(id))
        EXPECT_GT(sum.drops[cause], packets / 200) << drop_cause_name[cause];
    if (id != FUNCTION_VPE_DOWNSTREAM) { // its hash knows some flows; all else covers all there is
        EXPECT_EQ(sum.drops[DROP_ROUTE_MISS], 0);
    }
    std::printf("%s: %llu mutated packets, %llu out;", functions[id].name,
                static_cast<unsigned long long>(packets), static_cast<unsigned long long>(sum.out));
    for (int cause = 0; cause < DROP_CAUSES; cause++) {
        if (sum.drops[cause] > 0)
            std::printf(" %s %llu", drop_cause_name[cause],
                        static_cast<unsigned long long>(sum.drops[cause]));
    }
    std::printf("\n");
}

INSTANTIATE_TEST_SUITE_P(Functions, Mutation, testing::Range(0, static_cast<int>(FUNCTIONS)),
                         name_of);
