/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line before `--`.
 */
#ifndef PLANECAST_OPTIONS_H
#define PLANECAST_OPTIONS_H

#include "dataplane.h"

struct options {
    const char *config_path;
    bool control;
    uint64_t packets; /* 0: until `seconds` are over */
    double seconds;   /* 0: until the packets are through */
    enum instrument instrument;
};

/* -1: go on; otherwise the exit code: all was said already. */
int options_read(int argc, char **argv, struct options *options);

#endif
