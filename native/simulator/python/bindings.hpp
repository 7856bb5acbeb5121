// The parts of the simulator's Python module, a file each: templates take a compiler its time, so
// they are compiled side by side.
#pragma once

#include <nanobind/nanobind.h>

void bind_enums(nanobind::module_ &m);
void bind_model(nanobind::module_ &m);
void bind_results(nanobind::module_ &m);
