// SPDX-License-Identifier: Apache-2.0
//
// Packets as they are made, and what the receiver makes of them after all that may happen on the
// way.
#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <string>
#include <vector>

extern "C" {
#include "config.h"
}
#include "inline_functions.h"

namespace
{

constexpr int foreign = 0, corrupt = 1, fine = 2;
constexpr uint64_t tsc = 0x123456789ABC;
constexpr uint32_t stream_number = 3, streams = 5;

using Frame = std::vector<uint8_t>;
struct Made {
    Frame frame;
    test_frame facts;
};

stream_config stream_of(const std::vector<std::pair<std::string, std::string>> &keys)
{
    static config all;
    config_defaults(&all);
    char error[512];
    stream_config *stream = config_add_stream(&all, "test", error, sizeof error);
    for (const auto &[key, text] : keys)
        EXPECT_TRUE(keys_set(&stream_keys, stream, "stream", key.c_str(), text.c_str(), error,
                             sizeof error))
            << error;
    return *stream;
}

void keep(void *opaque, const test_frame *frame)
{
    static_cast<std::vector<Made> *>(opaque)->push_back(
        {Frame(frame->bytes, frame->bytes + frame->length), *frame});
}

std::vector<Made> made(const stream_config &config, uint32_t count)
{
    std::vector<Made> all;
    EXPECT_TRUE(test_make(&config, stream_number, count, tsc, keep, &all));
    return all;
}

test_sighting look(const Frame &frame, uint32_t known = streams)
{
    // In memory of its own and no byte more: what reads beyond is found by AddressSanitizer.
    return test_look_at(frame.data(), static_cast<uint32_t>(frame.size()), known);
}

void expect_ours(const Frame &frame, const Made &sent)
{
    const test_sighting seen = look(frame);
    ASSERT_EQ(seen.verdict, fine);
    EXPECT_EQ(seen.stream, stream_number);
    EXPECT_EQ(seen.sequence, sent.facts.sequence);
    EXPECT_EQ(seen.time, seen.full ? tsc : static_cast<uint32_t>(tsc >> 3));
}

const char *const kinds[] = {"ethernet", "ipv4", "vlan-ipv4", "qinq-ipv4"};
const char *const frame_sizes[] = {"64", "65", "70", "78", "79", "128", "1518", "9000"};

stream_config varied(const std::string &kind, const std::string &size)
{
    return stream_of({{"headers", kind},
                      {"sizes", size},
                      {"flows", "1000"},
                      {"source_mac_step", "1"},
                      {"destination_mac_step", "3"},
                      {"outer_vlan_step", "1"},
                      {"inner_vlan_step", "4095"},
                      {"source_ip_step", "0.0.1.7"},
                      {"destination_ip_step", "0.4.0.0"},
                      {"source_port_step", "1"},
                      {"destination_port_step", "7"},
                      {"dscp", "0,10,46"}});
}

uint16_t big(const Frame &frame, size_t at)
{
    return static_cast<uint16_t>(frame[at] << 8 | frame[at + 1]);
}

size_t ip_at(const Made &sent)
{
    return sent.facts.payload_offset - 28;
}

uint16_t sum_of(const Frame &frame, size_t at)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < 20; i += 2)
        sum += big(frame, at + i);
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return static_cast<uint16_t>(sum);
}

} // namespace

TEST(Signature, EveryKindAndSizeIsKnownAgain)
{
    for (const std::string kind : kinds) {
        for (const std::string size : frame_sizes) {
            for (const bool vary : {false, true}) {
                const auto config =
                    vary ? varied(kind, size)
                         : stream_of({{"headers", kind}, {"sizes", size}, {"flows", "7"}});
                for (const auto &sent : made(config, 600)) {
                    ASSERT_EQ(sent.frame.size(), std::stoul(size) - 4);
                    expect_ours(sent.frame, sent);
                }
            }
        }
    }
}

TEST(Signature, HeadersAreRight)
{
    for (const std::string kind : {"ipv4", "vlan-ipv4", "qinq-ipv4"}) {
        for (const auto &sent : made(varied(kind, "64:7,594:4,1518:1"), 3000)) {
            const size_t ip = ip_at(sent);
            const auto flow = static_cast<uint32_t>(sent.facts.sequence % 1000);
            ASSERT_EQ(sum_of(sent.frame, ip), 0xFFFF);
            ASSERT_EQ(big(sent.frame, ip + 2), sent.frame.size() - ip);
            ASSERT_EQ(big(sent.frame, ip + 24), sent.frame.size() - ip - 20);
            const uint8_t dscp[] = {0, 10, 46};
            ASSERT_EQ(sent.frame[ip + 1], dscp[flow % 3] << 2);
            const uint32_t source = big(sent.frame, ip + 12) << 16 | big(sent.frame, ip + 14);
            ASSERT_EQ(source, 0x0A000001 + flow * 0x107);
            const uint32_t destination =
                static_cast<uint32_t>(big(sent.frame, ip + 16)) << 16 | big(sent.frame, ip + 18);
            ASSERT_EQ(destination, 0x0B000001 + flow * 0x40000);
            ASSERT_EQ(big(sent.frame, ip + 20), 49152 + flow);
            ASSERT_EQ(sent.frame[5], static_cast<uint8_t>(2 + 3 * flow));
            if (kind == "qinq-ipv4") {
                const uint32_t tags = flow * 0x1FFF & 0xFFFFFF;
                ASSERT_EQ(big(sent.frame, 14), tags >> 12);
                ASSERT_EQ(big(sent.frame, 18), tags & 0xFFF);
            }
        }
    }
}

TEST(Signature, SurvivesWhatTheWayMayDo)
{
    using Change = std::function<void(Frame &, const Made &)>;
    const auto erase_tags = [](Frame &frame, const Made &sent) {
        frame.erase(frame.begin() + 12, frame.begin() + static_cast<long>(ip_at(sent)) - 2);
    };
    const std::vector<Change> changes = {
        [](Frame &frame, const Made &) { // MAC addresses swapped
            std::swap_ranges(frame.begin(), frame.begin() + 6, frame.begin() + 6);
        },
        [](Frame &frame, const Made &sent) { // a hop, and another DSCP
            frame[ip_at(sent) + 8]--;
            frame[ip_at(sent) + 1] ^= 0xFC;
            frame[ip_at(sent) + 10] ^= 0x55;
        },
        erase_tags,
        [&](Frame &frame, const Made &sent) { // taken off, then padded
            erase_tags(frame, sent);
            if (frame.size() < 60)
                frame.resize(60, 0xEE);
        },
        [](Frame &frame, const Made &) { // a tag more
            const uint8_t tag[] = {0x81, 0x00, 0x60, 0x07};
            frame.insert(frame.begin() + 12, tag, tag + 4);
        },
        [](Frame &frame, const Made &sent) { // labels in place of tags
            const uint8_t labels[] = {0x88, 0x47, 0, 1, 0x20, 0xFF, 0, 2, 0x21, 0xFF};
            frame.erase(frame.begin() + 12, frame.begin() + static_cast<long>(ip_at(sent)));
            frame.insert(frame.begin() + 12, labels, labels + 10);
        },
        [](Frame &frame, const Made &sent) { frame[ip_at(sent) + 26] = 0x77; }, // UDP checksum
    };
    for (const std::string kind : {"ipv4", "vlan-ipv4", "qinq-ipv4"}) {
        for (const std::string size : frame_sizes) {
            for (const auto &sent : made(varied(kind, size), 20)) {
                for (const auto &change : changes) {
                    Frame frame = sent.frame;
                    change(frame, sent);
                    expect_ours(frame, sent);
                }
            }
        }
    }
}

TEST(Signature, EveryDamagedBitIsSeen)
{
    for (const std::string kind : {"ipv4", "qinq-ipv4"}) {
        for (const std::string size : {"64", "65", "78", "79", "128", "600"}) {
            for (const auto &sent : made(varied(kind, size), size == "600" ? 2 : 20)) {
                const size_t ip = ip_at(sent);
                for (size_t at = ip + 12; at < sent.frame.size(); at++) {
                    if (at == ip + 26 || at == ip + 27)
                        continue; // UDP's checksum
                    for (int bit = 0; bit < 8; bit++) {
                        Frame frame = sent.frame;
                        frame[at] ^= static_cast<uint8_t>(1 << bit);
                        // A changed length may turn one kind of signature into the other.
                        EXPECT_NE(look(frame).verdict, fine) << kind << size << " byte " << at;
                        if (at < ip + 24 || at >= ip + 28) {
                            EXPECT_EQ(look(frame).verdict, corrupt);
                        }
                    }
                }
            }
        }
    }
}

TEST(Payload, DamageIsSeenToItsEnd)
{
    for (const std::string kind : kinds) {
        for (const std::string size : {"128", "1518", "9000"}) {
            const auto sent = made(varied(kind, size), 1)[0];
            const size_t behind = sent.facts.payload_offset + 24U;
            for (size_t at = behind; at < sent.frame.size(); at += at % 61 + 1) {
                Frame frame = sent.frame;
                frame[at] ^= 0x10;
                EXPECT_EQ(look(frame).verdict, corrupt) << kind << size << " byte " << at;
            }
            Frame last = sent.frame, cleared = sent.frame, moved = sent.frame, cut = sent.frame;
            last.back() ^= 1;
            std::fill(cleared.begin() + static_cast<long>(behind), cleared.end(), 0);
            std::rotate(moved.begin() + static_cast<long>(behind),
                        moved.begin() + static_cast<long>(behind) + 1, moved.end());
            cut.pop_back();
            for (const Frame &frame : {last, cleared, moved})
                EXPECT_EQ(look(frame).verdict, corrupt) << kind << size;
            if (kind != "ethernet") { // which says nowhere how long it is
                EXPECT_EQ(look(cut).verdict, corrupt) << kind << size;
            }
        }
    }
}

TEST(Signature, OthersAreForeign)
{
    for (const std::string kind : kinds) {
        const auto sent = made(varied(kind, "128"), 1)[0];
        EXPECT_EQ(look(sent.frame, stream_number).verdict, foreign); // a stream that we have not
        for (size_t length = 0; length < sent.facts.payload_offset + 10U; length++)
            EXPECT_EQ(
                look(Frame(sent.frame.begin(), sent.frame.begin() + static_cast<long>(length)))
                    .verdict,
                foreign);
    }
    auto tcp = made(varied("ipv4", "64"), 1)[0].frame;
    tcp[14 + 9] = 6;
    EXPECT_EQ(look(tcp).verdict, foreign);
}

TEST(Signature, AnyBytesAreRead)
{
    std::mt19937 random(1);
    const auto all = made(varied("qinq-ipv4", "64:1,128:1"), 2);
    int seen_fine = 0;
    for (int turn = 0; turn < 2'000'000; turn++) {
        Frame frame = all[static_cast<size_t>(turn % 2)].frame;
        for (uint32_t changes = 1 + random() % 4; changes > 0; changes--)
            frame[12 + random() % 48] = static_cast<uint8_t>(random());
        if (random() % 4 == 0)
            frame.resize(random() % frame.size());
        frame.shrink_to_fit();
        const auto sighting = look(frame);
        seen_fine += sighting.verdict == fine;
        if (sighting.verdict != foreign) {
            ASSERT_LT(sighting.stream, streams);
        }
    }
    EXPECT_GT(seen_fine, 0); // what was changed was not always checked
}

TEST(Receiver, CountsByVerdictAndAge)
{
    const auto config = stream_of({{"sizes", "64"}});
    std::vector<Made> all;
    ASSERT_TRUE(test_make(&config, 0, 10, tsc, keep, &all));
    test_receiver *receiver = test_receiver_open(&config, tsc - 100, 1'000'000'000);
    const auto count = [&](const Frame &frame, uint64_t now) {
        test_receiver_count(receiver, frame.data(), static_cast<uint32_t>(frame.size()), now);
    };
    for (const auto &sent : all)
        count(sent.frame, tsc + 1000);
    count(all[0].frame, tsc + 5'000'000'000); // 5 s late, and a second copy
    Frame damaged = all[1].frame;
    damaged[50] ^= 1;
    count(damaged, tsc);
    count(Frame(60), tsc);
    const auto counts = test_receiver_close(receiver);
    EXPECT_EQ(counts.received, 11U);
    EXPECT_EQ(counts.unique, 10U);
    EXPECT_EQ(counts.corrupt, 1U);
    EXPECT_EQ(counts.foreign, 1U);
    EXPECT_NEAR(static_cast<double>(counts.latency_max), 5e9, 8);
    receiver = test_receiver_open(&config, tsc + 500, 1'000'000'000); // the next run
    count(all[0].frame, tsc + 1000);
    EXPECT_EQ(test_receiver_close(receiver).stale, 1U);
}
