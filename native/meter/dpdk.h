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

/* A function of the program's DPDK, with the type that our headers give it; NULL: it has none. */
#define DPDK(name) ((__typeof__(&(name)))dpdk_symbol(#name))

/* Calls DPDK's own function of a name that this library has a function of, too (replaced.h): by the
 * thread that starts the program. */
#define DPDK_ORIGINAL(name, ...)                                                                   \
    ({                                                                                             \
        struct replaced *replaced_ = replaced_lift(#name);                                         \
        __typeof__(DPDK(name)(__VA_ARGS__)) answer_ = DPDK(name)(__VA_ARGS__);                     \
        replaced_lay(replaced_);                                                                   \
        answer_;                                                                                   \
    })

void *dpdk_symbol(const char *name);

/* Whether it was linked into the program, so that no library exports it. */
bool dpdk_within(void);

/* As rte_version says it; NULL: there is none in the program, or its symbols were stripped. */
const char *dpdk_version(void);

/* Whether its release is one whose layouts are known. */
bool dpdk_known(void);
#define DPDK_KNOWN "22.11 to 26.07"

/* What a port's queues are polled by. Of a release that is known. */
struct fast_path {
    eth_rx_burst_t *rx;
    eth_tx_burst_t *tx;
    void **rx_queues, **tx_queues;
};
struct fast_path dpdk_fast_path(uint16_t port);

/* The one field of these facts that moves. */
uint32_t *dpdk_longest_frame(struct rte_eth_dev_info *info);

/* How many bytes of it a program has. */
size_t dpdk_conf_bytes(void);

#endif
