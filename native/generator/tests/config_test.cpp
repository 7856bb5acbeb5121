// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

extern "C" {
#include "config.h"
#include "request.h"
}

namespace
{

class Config : public testing::Test
{
  protected:
    Config()
        : path(std::filesystem::temp_directory_path() /
               ("planecast-generator-" + std::to_string(getpid()) + ".ini"))
    {
    }
    ~Config() override { std::filesystem::remove(path); }

    // What is said of the text; empty: it is fine.
    std::string read(const std::string &text)
    {
        std::ofstream(path) << text;
        config_defaults(ours.get());
        char error[4096] = "";
        if (config_read(path.c_str(), ours.get(), error, sizeof error))
            return "";
        const std::string sentence = error;
        EXPECT_EQ(sentence.rfind(path.string() + ":", 0), 0U) << sentence;
        return sentence.substr(path.string().size() + 1);
    }

    std::string ask(const std::string &words)
    {
        char error[1024] = "";
        return request_read(ours.get(), words.c_str(), asked.get(), &seconds, error, sizeof error)
                   ? ""
                   : error;
    }

    std::filesystem::path path;
    std::unique_ptr<config> ours = std::make_unique<config>(), asked = std::make_unique<config>();
    double seconds = 0;
};

} // namespace

TEST_F(Config, AnEmptyFileIsOneStream)
{
    EXPECT_EQ(read(""), "");
    ASSERT_EQ(ours->stream_count, 1U);
    EXPECT_STREQ(ours->stream[0].name, "stream");
    EXPECT_EQ(ours->stream[0].rate.kind, RATE_MAX);
}

TEST_F(Config, StreamsHaveKeysOfTheirOwn)
{
    EXPECT_EQ(read("[stream a]\nrate = 1.5Mpps\nsizes=imix\n[run]\nburst=8\n[stream b]\n"
                   "rate=25% ; of the link\nsource_mac = 0a:00:00:00:00:ff\n"),
              "");
    ASSERT_EQ(ours->stream_count, 2U);
    EXPECT_EQ(ours->stream[0].rate.value, 1.5e6);
    EXPECT_EQ(ours->stream[0].sizes.count, 3U);
    EXPECT_EQ(ours->stream[1].rate.kind, RATE_PERCENT);
    EXPECT_EQ(ours->stream[1].source_mac, 0x0A00000000FFU);
    EXPECT_EQ(ours->burst, 8U);
}

TEST_F(Config, MistakesAreNamedWithTheirLine)
{
    const std::pair<const char *, const char *> wrong[] = {
        {"x = 1\n", "1: x: stands before the first [section]"},
        {"[run]\nburst = 0\n",
         "2: burst: '0' is not allowed; it takes a whole number from 1 to 256"},
        {"[run]\nburst = 1\nburst = 2\n", "3: burst: is set a second time; line 2 has it already"},
        {"[walk]\n", "1: no section [walk]; allowed are ports, run, pool, machine, stream NAME"},
        {"[run]\nrate = max\n", "2: rate: no such key in [run]; allowed are burst, link_wait_ms, "},
        {"[stream a]\n[stream a]\n", "2: a stream 'a' is there already"},
        {"[stream a.b]\n", "1: a stream's name takes"},
        {"[stream]\nrate = 5kg\n", "2: rate: '5kg' is not allowed; it takes max, packets a second"},
        {"[stream]\nrate = 101%\n", "2: rate: '101%' is not allowed"},
        {"[stream]\nrate = nan\n", "2: rate: 'nan' is not allowed"},
        {"[stream]\nsizes = 63\n", "2: sizes: '63' is not allowed"},
        {"[stream]\nsizes = 64:4097\n", "2: sizes: '64:4097' is not allowed"},
        {"[stream]\nsizes = 64,\n", "2: sizes: '64,' is not allowed"},
        {"[stream]\narrivals = poisson\n", " stream.rate: 'max' has no arrivals in time"},
        {"[stream]\narrivals = burst\nrate=max\n", "3: rate: 'max' says nothing of the time"},
        {"[stream]\nrate=1\narrivals = pcap\n", "3: arrivals: 'pcap' needs a file"},
        {"[stream]\nsource_ip = 1.2.3\n", "2: source_ip: '1.2.3' is not allowed"},
        {"[stream]\nsource_mac = 1:2:3:4:5\n", "2: source_mac: '1:2:3:4:5' is not allowed"},
        {"[machine]\nlcores = 1,1\n", "2: lcores: CPU 1 is named twice"},
        {"[machine]\nlcores = 1,2,3\n", "2: lcores: '1,2,3' is not allowed"},
        {"[pool]\nmbufs = 1024\n", "2: mbufs: 1024 are too few"},
        {"[ports]\ntx = none\nrx = none\n", "2: tx: 'none', and rx too"},
        {"[run\n", "1: [run: neither a [section] nor key = value"},
    };
    for (const auto &[text, sentence] : wrong)
        EXPECT_EQ(read(text).rfind(sentence, 0), 0U) << text << " says: " << read(text);
}

TEST_F(Config, ARunMaySetKeys)
{
    ASSERT_EQ(read("[stream a]\nrate=1\n[stream b]\nrate=2\n"), "");
    EXPECT_EQ(ask("seconds=2.5 rate=50% b.rate=7 drain_ms=5"), "");
    EXPECT_EQ(seconds, 2.5);
    EXPECT_EQ(asked->stream[0].rate.kind, RATE_PERCENT);
    EXPECT_EQ(asked->stream[1].rate.value, 7);
    EXPECT_EQ(asked->drain_ms, 5);
    EXPECT_EQ(ours->stream[1].rate.value, 2);
    EXPECT_EQ(ask("streams=b packets=9"), "");
    ASSERT_EQ(asked->stream_count, 1U);
    EXPECT_STREQ(asked->stream[0].name, "b");
    EXPECT_EQ(seconds, 0);
    EXPECT_EQ(ask("c.rate=1"), "c.rate: there is no stream 'c'");
    EXPECT_EQ(ask("tx=1"), "a run has no key 'tx'");
    EXPECT_EQ(ask("fast"), "'fast' is not key=value");
    EXPECT_EQ(ask("seconds=0"), "seconds: '0' is not a number above 0 and up to 1000000");
    EXPECT_EQ(ask("streams="), "streams: none is named");
    EXPECT_EQ(ask("sizes=9000"),
              "sizes: 9000 bytes are more than the buffers hold; configure them in the file");
    EXPECT_EQ(ask("arrivals=poisson rate=max"),
              "rate: 'max' has no arrivals in time; arrivals = poisson takes a rate");
}
