/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line before `--`.
 */
#ifndef PLANECAST_GENERATOR_OPTIONS_H
#define PLANECAST_GENERATOR_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct options {
    const char *config_path;
    bool control;
    const char *packets; /* of each stream; NULL: as configured */
    double seconds;      /* 0: until the packets are through */
};

/* -1: go on; otherwise the exit code: all was said already. */
int options_read(int argc, char **argv, struct options *options);

#endif
