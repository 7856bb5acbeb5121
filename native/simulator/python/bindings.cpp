// The simulator's Python module: its structs, simulate(), simulate_many().
#include "bindings.hpp"

#include "planecast/simulator/simulate.hpp"
#include "planecast/simulator/toeplitz.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <thread>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace planecast::sim;

namespace
{

// Calls `work` on another thread, without the GIL; looks for Ctrl-C a few times a second during
// that time.
template <class Work> auto interruptible(Work work)
{
    std::atomic<bool> cancel = false;
    std::promise<decltype(work(&cancel))> promise;
    auto result = promise.get_future();
    bool interrupted = false;
    {
        nb::gil_scoped_release release;
        std::jthread worker([&] {
            try {
                promise.set_value(work(&cancel));
            } catch (...) {
                promise.set_exception(std::current_exception());
            }
        });
        while (result.wait_for(std::chrono::milliseconds(100)) != std::future_status::ready) {
            nb::gil_scoped_acquire acquire;
            if (!cancel && PyErr_CheckSignals() != 0) {
                interrupted = true;
                cancel = true;
            }
        }
    }
    if (interrupted) {
        throw nb::python_error();
    }
    return result.get();
}

} // namespace

NB_MODULE(_simulator, m)
{
    m.doc() = "Discrete-event simulation of poll-mode packet processing, bursts as events.";
    nb::exception<ModelError>(m, "ModelError", PyExc_ValueError);
    nb::exception<InvariantError>(m, "InvariantError", PyExc_AssertionError);
    bind_enums(m);
    bind_model(m);
    bind_results(m);
    m.def(
        "toeplitz",
        [](const nb::bytes &data) {
            if (data.size() > kMostHashedBytes) {
                throw std::invalid_argument("more bytes than the key is long enough for");
            }
            std::array<std::uint8_t, kMostHashedBytes> input;
            std::copy_n(data.c_str(), data.size(), input.begin());
            return toeplitz(std::span(input).first(data.size()));
        },
        "data"_a, "RSS hash of addresses and ports, with Microsoft's key.");
    m.def("validate", &validate, "model"_a, "Raises ModelError if the model can't be run.");
    m.def(
        "simulate",
        [](const Model &model) {
            Model copy = model; // another Python thread may change it during that time
            return interruptible(
                [&](const std::atomic<bool> *cancel) { return simulate(copy, cancel); });
        },
        "model"_a, "Runs a model; the GIL is free during that time and Ctrl-C stops it.");
    m.def(
        "simulate_many",
        [](const std::vector<Model> &models, unsigned threads) {
            return interruptible([&](const std::atomic<bool> *cancel) {
                return simulate_many(models, threads, cancel);
            });
        },
        "models"_a, "threads"_a = 1U,
        "Runs many models on so many threads; answers in their order.");
}
