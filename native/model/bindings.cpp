// Python bindings of the model's native part: numpy's arrays as they are, the interpreter's lock
// released.
#include "cache_sharing.hpp"
#include "served.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <stdexcept>
#include <variant>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace
{

using planecast::model::kLanes;
using planecast::model::kMostShape;
using planecast::model::Lane;
using planecast::model::lane_of;

using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Tables = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;
using Column = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Numbers = std::vector<std::variant<double, Column>>; // by region; of all scenarios, or each
using Kinds = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Groups = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
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

// Rows of a table, one a region; the arrays stay the caller's.
planecast::model::Rows rows(const Numbers &numbers, std::size_t regions, std::size_t scenarios)
{
    require(numbers.size() == regions);
    planecast::model::Rows found;
    for (const auto &row : numbers) {
        if (const auto *of_each = std::get_if<Column>(&row)) {
            require(of_each->shape(0) == scenarios);
            found.emplace_back(of_each->data());
        } else {
            found.emplace_back(std::get<double>(row));
        }
    }
    return found;
}

void serve(const Kinds &cyclic, const Kinds &others, const Numbers &own_lines,
           const Numbers &all_lines, const Numbers &touches, const Numbers &own_crowding,
           const Numbers &all_crowding, const Numbers &together, const Numbers &near,
           const Numbers &last, const Numbers &memory, const Column &lcores, const Column &base,
           const Tables &nearer, double shape, const Table &capacity, const Table &inserted,
           const Table &takes, const Groups &group, const Numbers &covered, const Numbers &burst,
           const Table &latency, const OutTables &waits, const OutTables &first,
           const OutTable &lines, const OutTable &cost)
{
    const std::size_t regions = cyclic.shape(0), scenarios = base.shape(0);
    const std::size_t variants = capacity.shape(0);
    require(others.shape(0) == regions && lcores.shape(0) == scenarios &&
            group.shape(0) == regions && latency.shape(0) == 2 && latency.shape(1) == scenarios &&
            nearer.shape(0) == variants && nearer.shape(2) == 2 && variants > 0 &&
            inserted.shape(0) == variants && capacity.shape(1) == scenarios &&
            inserted.shape(1) == scenarios && takes.shape(0) == variants &&
            takes.shape(1) == scenarios && waits.shape(0) == 3 && waits.shape(1) == regions &&
            waits.shape(2) == scenarios && first.shape(0) == 2 && first.shape(1) == regions &&
            first.shape(2) == scenarios && lines.shape(0) == 2 && lines.shape(1) == scenarios &&
            cost.shape(0) == variants + 2 && cost.shape(1) == scenarios);
    std::vector<planecast::model::Private> levels;
    for (std::size_t i = 0; i < variants; ++i)
        for (std::size_t level = 0; level < nearer.shape(1); ++level)
            levels.push_back({nearer(i, level, 0), shape_of(nearer(i, level, 1))});
    const planecast::model::Caches caches{variants,        levels,          shape_of(shape),
                                          capacity.data(), inserted.data(), takes.data()};
    const auto table = [&](const Numbers &numbers) { return rows(numbers, regions, scenarios); };
    const planecast::model::Touched touched{
        regions,         scenarios,           cyclic.data(),
        others.data(),   table(own_lines),    table(all_lines),
        table(touches),  table(own_crowding), table(all_crowding),
        table(together), table(near),         table(last),
        table(memory),   lcores.data(),       base.data()};
    std::int32_t most = -1;
    for (std::size_t region = 0; region < regions; ++region)
        most = std::max(most, group(region));
    const planecast::model::Asked asked{group.data(),   static_cast<std::size_t>(most + 1),
                                        table(covered), table(burst),
                                        latency.data(), latency.data() + scenarios};
    const nb::gil_scoped_release released;
    planecast::model::serve(touched, asked, caches,
                            {waits.data(), first.data(), lines.data(), cost.data()});
}

// Shares of the touches of regions in one cache, of shape (regions, scenarios).
void hit_shares(const Kinds &cyclic, const Table &lines, const Table &touches,
                const Column &inserted, const Column &capacity, double shape,
                const OutTable &shares)
{
    const std::size_t regions = lines.shape(0), scenarios = lines.shape(1);
    require(touches.shape(0) == regions && touches.shape(1) == scenarios &&
            shares.shape(0) == regions && shares.shape(1) == scenarios &&
            cyclic.shape(0) == regions && capacity.shape(0) == scenarios &&
            inserted.shape(0) == scenarios);
    planecast::model::CacheSharing sharing(regions, cyclic.data());
    sharing.shape = shape_of(shape);
    const nb::gil_scoped_release released;
    for (std::size_t first = 0; first < scenarios; first += kLanes) {
        const std::size_t count = std::min(kLanes, scenarios - first);
        for (std::size_t region = 0; region < regions; ++region) {
            const std::size_t row = region * scenarios;
            sharing.set(region, lane_of(lines.data() + row, first, count, 0),
                        lane_of(touches.data() + row, first, count, 0));
        }
        sharing.inserted = lane_of(inserted.data(), first, count, 0);
        Lane stay{}, share;
        sharing.find_time(lane_of(capacity.data(), first, count, 1), stay);
        for (std::size_t region = 0; region < regions; ++region) {
            sharing.share(region, stay, share);
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
               "lcores"_a, "base"_a, "nearer"_a, "shape"_a, "capacity"_a, "inserted"_a, "takes"_a,
               "group"_a, "covered"_a, "burst"_a, "latency"_a, "waits"_a, "first"_a, "lines"_a,
               "cost"_a);
    module.def("hit_shares", &hit_shares, "cyclic"_a, "lines"_a, "touches"_a, "inserted"_a,
               "capacity"_a, "shape"_a, "shares"_a);
}
