/* SPDX-License-Identifier: Apache-2.0
 *
 * A burst: the packets that travel through the stages together, and what each stage learned of
 * them.
 *
 * Structure of arrays: a stage reads only the columns it needs, and a column of 32 packets is a few
 * cache lines. Only the values move when packets are dropped, so pointers to columns stay valid.
 */
#ifndef PLANECAST_BURST_H
#define PLANECAST_BURST_H

#include <rte_mbuf.h>
#include <stdint.h>

#include "drops.h"

#define BURST_MAX 256

/* What seldom runs stays out of the loops: inlined, it would take their registers. */
#define SLOW_PATH __attribute__((noinline, cold)) void

/* The loops over a burst do little for each packet: unrolled, a quarter of their instructions go
 * away. */
#define BURST_UNROLL _Pragma("GCC unroll 4")

struct burst {
    uint16_t count;    /* packets still in it */
    uint16_t received; /* packets that the source put in */
    uint8_t input;     /* which of the lcore's inputs it came from, as ports.rx lists them */
    uint8_t lcore;     /* whose it is: for tables that each lcore has its own of */
    uint32_t stages;   /* bit set of enum stage_id: the pipeline that it takes */
    uint64_t now_tsc;  /* the one clock reading of this burst, when a stage asks for it */
    struct rte_mbuf *packet[BURST_MAX] __rte_cache_aligned;
    uint8_t *frame[BURST_MAX];    /* first byte of the Ethernet header */
    uint64_t flow_key[BURST_MAX]; /* the two VLAN ids, masked to 12 bits each */
    union {
        uint32_t flow_signature[BURST_MAX]; /* CRC32 of the key, for the flow table */
        uint32_t hop_word[BURST_MAX];       /* ip4: TTL, protocol, checksum, as they were loaded */
    };
    union {
        int32_t flow[BURST_MAX];      /* flow id, as the flow table gives it; below 0: none */
        uint32_t next_hop[BURST_MAX]; /* ip4: its number, or IP4_NO_ROUTE */
    };
    uint32_t destination[BURST_MAX];  /* IPv4, host order */
    void *action[BURST_MAX];          /* entry of the flow-action array for flow and class */
    uint8_t colour[BURST_MAX];        /* enum rte_color */
    uint8_t out[BURST_MAX];           /* which of ports.tx it goes to, where a function chooses */
    uint64_t drop_count[DROP_CAUSES]; /* drops so far, by cause */
    uint64_t copies; /* packets made of others so far: they go out or are dropped, too */
};

/* Where a packet goes that goes to every port but its own. */
enum { OUT_ALL = 0xFF };

/* Frees the packets whose verdict[i] (an enum drop_cause) is not DROP_NONE, counts them, and closes
 * the gaps in every column. The slow path: a stage calls it only when it has something to drop. */
SLOW_PATH burst_drop(struct burst *burst, const uint8_t *verdict);

#endif
