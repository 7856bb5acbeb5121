/* SPDX-License-Identifier: Apache-2.0
 *
 * EAL's arguments, made from what a program asks for and followed by the user's own; and EAL's end.
 */
#ifndef PLANECAST_EAL_START_H
#define PLANECAST_EAL_START_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exit_code.h"

/* The key page_size of every program's configuration. */
enum page_size { PAGES_AUTO, PAGES_4KIB, PAGES_2MIB };
#define PAGE_SIZES "auto,4KiB,2MiB"

struct eal_request {
    const char *program; /* argv[0] */
    uint32_t main_cpu;   /* CPU of lcore 0, which sleeps */
    const uint16_t *lcore_cpu;
    uint32_t lcore_count; /* lcores 1 and up, on the CPUs of lcore_cpu; at most 64 */
    uint32_t memory_mib;
    bool small_pages;   /* 4 KiB, even where larger ones are available */
    uint32_t simd_bits; /* widest vectors that DPDK may use; 0: its own choice */
    bool telemetry;
};

/* rte_eal_init with them. EXIT_DONE, or how the program has to end, with a sentence in `error`.
 * `extra` are the words after `--`. */
enum exit_code eal_start(const struct eal_request *request, int extra_count, char **extra,
                         char *error, size_t error_bytes);

/* Ends EAL and takes its folder of sockets away, which EAL itself leaves behind. */
void eal_end(void);

#endif
