// Python bindings of the model's native part: numpy's arrays as they are, the interpreter's lock
// released.
#include "cache_sharing.hpp"
#include "served.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace
{

using planecast::model::kLanes;
using planecast::model::kMostShape;
using planecast::model::Lane;

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Tables = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Column = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Kinds = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Groups = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutColumn = nb::ndarray<double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OutTable = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using OutTables = nb::ndarray<double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

unsigned shape_of(double value)
{
    if (!(value >= 1 && value <= kMostShape))
        throw std::invalid_argument("a lifetime's shape is 1 to 64");
    return static_cast<unsigned>(value);
}

void require(bool fits)
{
    if (!fits)
        throw std::invalid_argument("the tables are of different shapes");
}

void serve(const Kinds &cyclic, const Kinds &others, const Table &own_lines, const Table &all_lines,
           const Table &touches, const Table &own_crowding, const Table &all_crowding,
           const Table &together, const Table &near, const Table &last, const Table &memory,
           const Column &lcores, const Column &base, const Tables &nearer, double shape,
           const Table &capacity, const Table &inserted, const Groups &group, const Table &covered,
           const Table &burst, const Table &latency, const OutTables &waits, const OutTables &first,
           const OutTable &lines, const OutTable &cost)
{
    const std::size_t regions = touches.shape(0), scenarios = touches.shape(1);
    for (const Table *table : {&own_lines, &all_lines, &own_crowding, &all_crowding, &together,
                               &near, &last, &memory, &covered, &burst})
        require(table->shape(0) == regions && table->shape(1) == scenarios);
    const std::size_t variants = capacity.shape(0);
    require(cyclic.shape(0) == regions && others.shape(0) == regions &&
            lcores.shape(0) == scenarios && base.shape(0) == scenarios &&
            group.shape(0) == regions && latency.shape(0) == 2 && latency.shape(1) == scenarios &&
            nearer.shape(0) == variants && nearer.shape(2) == 2 && variants > 0 &&
            inserted.shape(0) == variants && capacity.shape(1) == scenarios &&
            inserted.shape(1) == scenarios && waits.shape(0) == 3 && waits.shape(1) == regions &&
            waits.shape(2) == scenarios && first.shape(0) == 2 && first.shape(1) == regions &&
            first.shape(2) == scenarios && lines.shape(0) == 2 && lines.shape(1) == scenarios &&
            cost.shape(0) == variants + 2 && cost.shape(1) == scenarios);
    std::vector<planecast::model::Private> levels;
    for (std::size_t i = 0; i < variants; ++i)
        for (std::size_t level = 0; level < nearer.shape(1); ++level)
            levels.push_back({nearer(i, level, 0), shape_of(nearer(i, level, 1))});
    const planecast::model::Caches caches{variants, levels, shape_of(shape), capacity.data(),
                                          inserted.data()};
    const planecast::model::Touched touched{
        regions,         scenarios,           cyclic.data(),
        others.data(),   own_lines.data(),    all_lines.data(),
        touches.data(),  own_crowding.data(), all_crowding.data(),
        together.data(), near.data(),         last.data(),
        memory.data(),   lcores.data(),       base.data()};
    std::int32_t most = -1;
    for (std::size_t region = 0; region < regions; ++region)
        most = std::max(most, group(region));
    const planecast::model::Asked asked{group.data(), static_cast<std::size_t>(most + 1),
                                        covered.data(), burst.data(), latency.data()};
    const nb::gil_scoped_release released;
    planecast::model::serve(touched, asked, caches,
                            {waits.data(), first.data(), lines.data(), cost.data()});
}

// Shares of the touches of regions in one cache, of shape (regions, scenarios), and the mean
// packets that a line stays.
void hit_shares(const Kinds &cyclic, const Table &lines, const Table &touches,
                const Column &inserted, const Column &capacity, double shape,
                const OutTable &shares, const OutColumn &time)
{
    const std::size_t regions = lines.shape(0), scenarios = lines.shape(1);
    require(touches.shape(0) == regions && touches.shape(1) == scenarios &&
            shares.shape(0) == regions && shares.shape(1) == scenarios &&
            cyclic.shape(0) == regions && capacity.shape(0) == scenarios &&
            inserted.shape(0) == scenarios && time.shape(0) == scenarios);
    planecast::model::CacheSharing sharing(regions, cyclic.data());
    sharing.shape = shape_of(shape);
    const nb::gil_scoped_release released;
    for (std::size_t first = 0; first < scenarios; first += kLanes) {
        const std::size_t count = std::min(kLanes, scenarios - first);
        for (std::size_t region = 0; region < regions; ++region) {
            const std::size_t row = region * scenarios;
            sharing.lines[region] = planecast::model::lane_of(lines.data() + row, first, count, 0);
            sharing.touches[region] =
                planecast::model::lane_of(touches.data() + row, first, count, 0);
            for (std::size_t i = 0; i < kLanes; ++i) {
                double &own = sharing.lines[region][i];
                sharing.rates[region][i] = sharing.touches[region][i] / std::max(own, 1e-9);
                own = sharing.touches[region][i] > 0 ? own : 0.0;
            }
        }
        sharing.inserted = planecast::model::lane_of(inserted.data(), first, count, 0);
        Lane stay{}, share;
        const Lane room = planecast::model::lane_of(capacity.data(), first, count, 1);
        sharing.find_time(room, stay);
        planecast::model::store(stay, time.data(), first, count);
        for (std::size_t region = 0; region < regions; ++region) {
            sharing.share(region, room, stay, share);
            planecast::model::store(share, shares.data() + region * scenarios, first, count);
        }
    }
}

} // namespace

NB_MODULE(_native, module)
{
    module.doc() = "Caches shared by regions, for many scenarios at once";
    module.def("serve", &serve, "cyclic"_a, "others"_a, "own_lines"_a, "all_lines"_a, "touches"_a,
               "own_crowding"_a, "all_crowding"_a, "together"_a, "near"_a, "last"_a, "memory"_a,
               "lcores"_a, "base"_a, "nearer"_a, "shape"_a, "capacity"_a, "inserted"_a, "group"_a,
               "covered"_a, "burst"_a, "latency"_a, "waits"_a, "first"_a, "lines"_a, "cost"_a);
    module.def("hit_shares", &hit_shares, "cyclic"_a, "lines"_a, "touches"_a, "inserted"_a,
               "capacity"_a, "shape"_a, "shares"_a, "time"_a);
}
