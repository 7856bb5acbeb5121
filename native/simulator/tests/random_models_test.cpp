#include "check_results.hpp"
#include "random.hpp"
#include "random_model.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace planecast::sim
{

namespace
{

std::vector<std::uint8_t> random_bytes(std::uint64_t seed)
{
    Random random(seed);
    std::vector<std::uint8_t> bytes(600);
    for (auto &byte : bytes) {
        byte = static_cast<std::uint8_t>(random.bits() >> 56);
    }
    // Every second one has no bad numbers: a fault in one of hundred fields refuses the whole
    // model.
    if (seed % 2 == 0) {
        std::replace(bytes.begin(), bytes.end(), std::uint8_t{255}, std::uint8_t{254});
    }
    return bytes;
}

} // namespace

TEST(RandomModels, RunToAnEndOrAreRefused)
{
    int ran = 0;
    int refused = 0;
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        auto data = random_bytes(seed);
        Bytes bytes(data.data(), data.size());
        Model model = random_model(bytes);
        try {
            check_results(simulate(model));
            ++ran;
        } catch (const ModelError &) {
            ++refused;
        } catch (const std::exception &error) {
            FAIL() << "seed " << seed << ": " << error.what();
        }
    }
    EXPECT_GT(ran, 100);
    EXPECT_GT(refused, 100);
}

} // namespace planecast::sim
