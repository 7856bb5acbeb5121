/* The probe's answer: one JSON object. */
#ifndef PLANECAST_PROBE_REPORT_H
#define PLANECAST_PROBE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "points.h"
#include "siblings.h"
#include "topology.h"
#include "transfer.h"

struct report {
    int cpu;
    double tsc_hz;
    double seconds;
    bool complete; /* false when interrupted */
    double huge_share;
    const struct topology *topology;
    const struct points *points;
    size_t pairs;
    const struct sibling_test *pair;
    size_t transfers;
    const struct transfer_test *transfer;
};

/* False if the text could not be written (a full disk, a closed pipe). */
bool report_write(FILE *out, const struct report *report);

#endif
