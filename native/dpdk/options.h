/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line of every program here: CONFIG.ini [--control | --packets N | --seconds S]
 * [-- EAL ARGUMENTS], or --keys.
 */
#ifndef PLANECAST_OPTIONS_H
#define PLANECAST_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct program {
    const char *name;
    void (*print_keys)(FILE *out);
    const char *instruments[4]; /* what --instrument takes, ended by NULL; none: no such option */
};

struct options {
    const char *config_path;
    bool control;
    uint64_t packets; /* 0: not said */
    double seconds;   /* 0: not said; without packets, and not under control, it is 10 */
    int instrument;   /* its number in program.instruments, from 1; 0: none */
    int extra_count;  /* EAL's arguments */
    char **extra;
};

/* -1: continue; otherwise the exit code: all was said already. */
int options_read(int argc, char **argv, const struct program *program, struct options *options);

#endif
