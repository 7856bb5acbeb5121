/* SPDX-License-Identifier: Apache-2.0
 *
 * The DPDK of the program that this library is loaded into. It is found when the program runs: it
 * may be of another release than the one that planecast was built with, and it may be linked into
 * the program. So nothing here is linked with DPDK, and what releases lay out in different ways is
 * read through this file alone.
 */
#ifndef PLANECAST_METER_DPDK_H
#define PLANECAST_METER_DPDK_H

#include <rte_ethdev.h>
#include <stdbool.h>
#include <stdint.h>

#include "replaced.h"

/* A function of the program's DPDK, with the type that our headers give it; NULL: it has none.
 * Looked up once at each place. */
#define DPDK(name)                                                                                 \
    ({                                                                                             \
        static void *symbol_;                                                                      \
        if (symbol_ == NULL)                                                                       \
            symbol_ = dpdk_symbol(#name);                                                          \
        (__typeof__(&(name)))symbol_;                                                              \
    })

/* Calls DPDK's own function of a name that this library has a function of, too (replaced.h): by the
 * thread that starts the program. */
#define DPDK_ORIGINAL(name, ...)                                                                   \
    ({                                                                                             \
        __typeof__(&(name)) original_ = DPDK(name);                                                \
        if (original_ == NULL)                                                                     \
            dpdk_absent(#name);                                                                    \
        struct replaced *replaced_ = replaced_lift(#name);                                         \
        __typeof__(original_(__VA_ARGS__)) answer_ = original_(__VA_ARGS__);                       \
        replaced_lay(replaced_);                                                                   \
        answer_;                                                                                   \
    })

/* Ends the program with a sentence: it calls a function that is not found in it. */
_Noreturn void dpdk_absent(const char *name);

void *dpdk_symbol(const char *name);

/* Whether it was linked into the program, so that no library exports it. */
bool dpdk_within(void);

/* As rte_version says it; NULL: there is none in the program, or its symbols were stripped. */
const char *dpdk_version(void);

/* Whether its release is one whose layouts are known, and it has what is needed of it. */
bool dpdk_known(void);
#define DPDK_KNOWN "22.11 to 26.07"

/* A function that is needed and not found, such as in a program whose unused functions were left
 * out; NULL: none. */
const char *dpdk_lacks(void);

/* How many ports it has room for. Of a release that is known. */
uint16_t dpdk_ports(void);

/* What it has counted of a port; false: nothing. */
bool dpdk_stats(uint16_t port, struct rte_eth_stats *stats);

/* What a port's queues are polled by. Of a release that is known. */
struct fast_path {
    eth_rx_burst_t *rx;
    eth_tx_burst_t *tx;
    void **rx_queues, **tx_queues;
};
struct fast_path dpdk_fast_path(uint16_t port);

/* The one field of these facts that is used here and moves. */
uint32_t *dpdk_longest_frame(struct rte_eth_dev_info *info);

/* How many bytes of it a program has. */
size_t dpdk_conf_bytes(void);

#endif
