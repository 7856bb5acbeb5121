#include "models.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace planecast::sim
{

namespace
{

Model good()
{
    return one_core(ArrivalKind::poisson, 1e6, 0, 100);
}

std::string refusal(const Model &model)
{
    try {
        validate(model);
    } catch (const ModelError &error) {
        return error.what();
    }
    return "";
}

} // namespace

TEST(Validate, AcceptsAGoodOne)
{
    EXPECT_EQ(refusal(good()), "");
}

TEST(Validate, NamesTheFieldItsValueAndWhatIsAllowed)
{
    Model model = good();
    model.cores[0].tasks[0].stages[0].packet_cycles.mean = -3;
    EXPECT_EQ(refusal(model),
              "cores[0].tasks[0].stages[0].packet_cycles.mean: -3 is outside 0 … 1e+12");
    model = good();
    model.sources[0].arrivals.rate_pps = std::nan("");
    EXPECT_EQ(refusal(model), "sources[0].arrivals.rate_pps: nan is outside 0 … 1e+12");
}

TEST(Validate, RefusesMoreThanThirtyDays)
{
    Model model = good();
    model.run.duration_ns = 1e19;
    EXPECT_EQ(refusal(model), "run.duration_ns: 1e+19 is outside 1 … 2.6e+15");
}

TEST(Validate, NamesThatExist)
{
    Model model = good();
    model.sources[0].port = "eth7";
    EXPECT_EQ(refusal(model), "sources[0].port: no port is called \"eth7\"; there are port");
    model = good();
    model.cores.push_back(model.cores[0]);
    EXPECT_EQ(refusal(model), "cores[1].name: \"core\" is there twice");
    model.cores[1].name = "other";
    EXPECT_EQ(refusal(model),
              "cores[1].tasks[0].input.name: port port queue 0 is polled by another task already");
    model = good();
    model.cores[0].tasks[0].input.queue = 1;
    EXPECT_EQ(refusal(model), "cores[0].tasks[0].input.queue: 1, but port port has 1");
}

TEST(Validate, EverythingThatIsFilledIsPolled)
{
    Model model = good();
    model.ports[0].rx_queues = 2;
    EXPECT_EQ(refusal(model), "sources[0].port: port port queue 1 is polled by no task");
    model = good();
    model.rings.push_back({"ring", 16, 0});
    model.cores[0].tasks[0].output.kind = OutputKind::ring;
    model.cores[0].tasks[0].output.to = "ring";
    EXPECT_EQ(refusal(model),
              "cores: core.task: puts packets into ring ring, which is polled by no task");
}

TEST(Validate, NoCirclesAndNoDeadlocks)
{
    Model model = good();
    model.rings = {{"a", 16, 0}, {"b", 16, 0}};
    auto add = [&model](const std::string &name, const std::string &from, const std::string &to,
                        WhenFull when_full) {
        Core core = plain_core(name, {InputKind::ring, from, 0}, 0, 1);
        core.tasks[0].output = {OutputKind::ring, to, when_full, 0, 1e5};
        model.cores.push_back(core);
    };
    add("one", "a", "b", WhenFull::drop);
    add("two", "b", "a", WhenFull::drop);
    EXPECT_EQ(refusal(model), "cores: packets go round in a circle through ring a");

    model = good();
    model.rings = {{"a", 16, 0}};
    model.cores[0].tasks[0].output = {OutputKind::ring, "a", WhenFull::wait, 0, 1e5};
    Task own = plain_core("", {InputKind::ring, "a", 0}, 0, 1).tasks[0];
    own.name = "second";
    model.cores[0].tasks.push_back(own);
    EXPECT_EQ(refusal(model), "cores: when_full = wait: these cores can wait for each other: core");
}

TEST(Validate, Timestamps)
{
    Model model = good();
    model.sources[0].arrivals.kind = ArrivalKind::timestamps;
    model.sources[0].arrivals.times_ns = {3, 1};
    EXPECT_EQ(refusal(model), "sources[0].arrivals.times_ns: goes back in time");
    model.sources[0].arrivals.times_ns = {0, 0};
    model.sources[0].arrivals.repeat = true;
    EXPECT_EQ(refusal(model), "sources[0].arrivals.repeat_gap_ns: repetitions would take no time");
}

TEST(Validate, Recordings)
{
    Model model = good();
    model.cores[0].disturbances.push_back({"pause", 0, false, {}, {3, 1}, {5}});
    EXPECT_EQ(refusal(model), "cores[0].disturbances[0].lengths_ns: 1 lengths for 2 starts");
    model.cores[0].disturbances[0].lengths_ns = {5, 5};
    EXPECT_EQ(refusal(model), "cores[0].disturbances[0].starts_ns: goes back in time");
    model.cores[0].disturbances[0].starts_ns = {1, 3};
    model.cores[0].disturbances[0].rate_per_second = 10;
    EXPECT_EQ(refusal(model), "cores[0].disturbances[0].rate_per_second: a recording has its own");
}

TEST(Validate, AnEndlessSeries)
{
    Model model = good();
    model.run.duration_ns = 1e15;
    model.run.series_interval_ns = 1;
    EXPECT_NE(refusal(model).find("run.series_interval_ns: too short"), std::string::npos);
}

} // namespace planecast::sim
