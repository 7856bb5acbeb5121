// The door from Python to hit_shares() and the delays: numpy's arrays as they are, the
// interpreter's lock released.
#include "delays.hpp"
#include "residents.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace
{

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Column = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Kinds = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Times = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Shares = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Stages = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

using planecast::closedform::Level;

void hit_shares(const Kinds &cyclic, const Table &lines, const Table &touches, const Table &rates,
                const Marks &out, const Column &capacity, const Times &time, const Shares &shares)
{
    const std::size_t regions = lines.shape(0), scenarios = lines.shape(1);
    const auto is_like = [&](const auto &table) {
        return table.shape(0) == regions && table.shape(1) == scenarios;
    };
    if (!is_like(touches) || !is_like(rates) || !is_like(out) || !is_like(shares) ||
        cyclic.shape(0) != regions || capacity.shape(0) != scenarios || time.shape(0) != scenarios)
        throw std::invalid_argument("the tables are of different shapes");
    const nb::gil_scoped_release released;
    planecast::closedform::hit_shares({regions, scenarios, cyclic.data(), lines.data(),
                                       touches.data(), rates.data(), out.data(), capacity.data()},
                                      time.data(), shares.data());
}

// Levels are rows of lines, cycles a line beyond the first level's, and 1 where lcores share it.
std::vector<Level> levels_of(const Table &table)
{
    if (table.shape(1) != 3)
        throw std::invalid_argument("a level has three numbers");
    std::vector<Level> found;
    for (std::size_t i = 0; i < table.shape(0); ++i)
        found.push_back({table(i, 0), table(i, 1), table(i, 2) != 0});
    return found;
}

// The tables of a call, checked to be of one shape.
struct Regions {
    Kinds cyclic;
    std::vector<std::size_t> stage;
    Table own_lines, all_lines, touches, stride, together, walks, columns;

    Regions(const Kinds &cyclic_, const Numbers &stage_, const Table &own, const Table &all,
            const Table &touches_, const Table &stride_, const Table &together_,
            const Table &walks_, const Table &columns_)
        : cyclic(cyclic_), stage(stage_.data(), stage_.data() + stage_.shape(0)), own_lines(own),
          all_lines(all), touches(touches_), stride(stride_), together(together_), walks(walks_),
          columns(columns_)
    {
        const auto is_like = [&](const Table &table) {
            return table.shape(0) == touches.shape(0) && table.shape(1) == touches.shape(1);
        };
        if (!is_like(own_lines) || !is_like(all_lines) || !is_like(stride) || !is_like(together) ||
            !is_like(walks) || cyclic.shape(0) != touches.shape(0) ||
            stage.size() != touches.shape(0) || columns.shape(0) != 2 ||
            columns.shape(1) != scenarios())
            throw std::invalid_argument("the tables are of different shapes");
    }

    std::size_t scenarios() const { return touches.shape(1); }

    planecast::closedform::Touched touched(std::size_t stages) const
    {
        return {stage.size(),
                scenarios(),
                stages,
                cyclic.data(),
                stage.data(),
                own_lines.data(),
                all_lines.data(),
                touches.data(),
                stride.data(),
                together.data(),
                walks.data(),
                columns.data(),
                columns.data() + scenarios()};
    }
};

void delays(const Regions &regions, const Table &nearer, const Table &last, const Stages &delay,
            const Shares &missed)
{
    if (delay.shape(0) != last.shape(0) || delay.shape(2) != regions.scenarios() ||
        missed.shape(0) != last.shape(0) || missed.shape(1) != regions.scenarios())
        throw std::invalid_argument("the answers are of other shapes than the questions");
    const std::vector<Level> near = levels_of(nearer), far = levels_of(last);
    const nb::gil_scoped_release released;
    planecast::closedform::delays(regions.touched(delay.shape(1)), near, far, delay.data(),
                                  missed.data());
}

void weighted_delays(const Regions &regions, const Table &nearer, const Table &last,
                     const Table &always, const Table &where, const Column &counts,
                     std::size_t whole, const Shares &delay, const Times &missed,
                     const Shares &cost)
{
    const auto is_weights = [&](const Table &table) {
        return table.shape(0) == last.shape(0) && table.shape(1) == delay.shape(0);
    };
    if (!is_weights(always) || !is_weights(where) || whole >= last.shape(0) ||
        counts.shape(0) != regions.scenarios() || delay.shape(1) != regions.scenarios() ||
        missed.shape(0) != regions.scenarios() || cost.shape(0) != last.shape(0) ||
        cost.shape(1) != regions.scenarios())
        throw std::invalid_argument("the answers are of other shapes than the questions");
    const std::vector<Level> near = levels_of(nearer), far = levels_of(last);
    const nb::gil_scoped_release released;
    planecast::closedform::weighted_delays(regions.touched(delay.shape(0)), near, far,
                                           {always.data(), where.data(), counts.data(), whole},
                                           delay.data(), missed.data(), cost.data());
}

} // namespace

NB_MODULE(_residents, module)
{
    module.doc() = "Shares of touches that caches serve, for many scenarios at once";
    nb::class_<Regions>(module, "Regions")
        .def(nb::init<const Kinds &, const Numbers &, const Table &, const Table &, const Table &,
                      const Table &, const Table &, const Table &, const Table &>(),
             "cyclic"_a, "stage"_a, "own_lines"_a, "all_lines"_a, "touches"_a, "stride"_a,
             "together"_a, "walks"_a, "columns"_a);
    module.def("delays", &delays, "regions"_a, "nearer"_a, "last"_a, "delay"_a, "missed"_a);
    module.def("weighted_delays", &weighted_delays, "regions"_a, "nearer"_a, "last"_a, "always"_a,
               "where"_a, "counts"_a, "whole"_a, "delay"_a, "missed"_a, "cost"_a);
    module.def("hit_shares", &hit_shares, "cyclic"_a, "lines"_a, "touches"_a, "rates"_a, "out"_a,
               "capacity"_a, "time"_a, "shares"_a);
}
