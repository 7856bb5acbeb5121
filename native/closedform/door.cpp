// The door from Python to hit_shares(): numpy's arrays as they are, the interpreter's lock
// released.
#include "residents.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <stdexcept>

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

} // namespace

NB_MODULE(_residents, module)
{
    module.doc() = "Shares of touches that caches serve, for many scenarios at once";
    module.def("hit_shares", &hit_shares, "cyclic"_a, "lines"_a, "touches"_a, "rates"_a, "out"_a,
               "capacity"_a, "time"_a, "shares"_a);
}
