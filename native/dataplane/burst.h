/* SPDX-License-Identifier: Apache-2.0
 *
 * A burst: the packets that travel through the stages together, and what each stage learned of
 * them.
 *
 * Structure of arrays: a stage reads only the columns it needs, and a column of 32 packets is a few
 * cache lines. Packets and frames are every function's; the other columns are a function's own
 * (BURST_COLUMNS, in the header that its stages share). Only the values move when packets are
 * dropped, so pointers to columns stay valid.
 */
#ifndef PLANECAST_BURST_H
#define PLANECAST_BURST_H

#include <assert.h>
#include <rte_mbuf.h>
#include <stdint.h>

#include "drops.h"

#define BURST_MAX 256

/* What seldom runs stays out of the loops: inlined, it would take their registers. */
#define SLOW_PATH __attribute__((noinline, cold)) void

/* The loops over a burst do little for each packet: unrolled, a quarter of their instructions go
 * away. */
#define BURST_UNROLL _Pragma("GCC unroll 4")

/* All columns of a function together, for one packet. */
enum { COLUMN_BYTES = 28 };

struct burst {
    uint16_t count;         /* packets still in it */
    uint16_t received;      /* packets that the source put in */
    uint8_t input;          /* which of the lcore's inputs it came from, as ports.rx lists them */
    uint8_t lcore;          /* whose it is */
    uint64_t now_tsc;       /* the one clock reading of this burst, when a stage asks for it */
    const uint8_t *columns; /* bytes of an entry of each of the function's columns; 0 ends them */
    struct rte_mbuf *packet[BURST_MAX] __rte_cache_aligned;
    uint8_t *frame[BURST_MAX];                     /* first byte of the Ethernet header */
    uint8_t of_function[COLUMN_BYTES * BURST_MAX]; /* its columns, one after the other */
    uint8_t out[BURST_MAX];           /* which of ports.tx it goes to, where a function chooses */
    uint64_t drop_count[DROP_CAUSES]; /* drops so far, by cause */
    uint64_t copies; /* packets made of others so far: they go out or are dropped, too */
};

#define BURST_COLUMN(type, name)       type name[BURST_MAX];
#define BURST_COLUMN_BYTES(type, name) sizeof(type),

/* Declares a function's columns: of COLUMNS, a list COLUMN(type, name) ..., wide ones first, makes
 * `struct <function>_columns`, <function>_columns(burst) and <function>_column_bytes. */
#define BURST_COLUMNS(function, COLUMNS)                                                           \
    struct function##_columns {                                                                    \
        COLUMNS(BURST_COLUMN)                                                                      \
    };                                                                                             \
    static_assert(sizeof(struct function##_columns) <= COLUMN_BYTES * BURST_MAX,                   \
                  "a burst has room for them");                                                    \
    static const uint8_t function##_column_bytes[] = {COLUMNS(BURST_COLUMN_BYTES) 0};              \
    static inline struct function##_columns *function##_columns(struct burst *burst)               \
    {                                                                                              \
        return (struct function##_columns *)burst->of_function;                                    \
    }

/* Where a packet goes that goes to every port but its own. */
enum { OUT_ALL = 0xFF };

/* Frees the packets whose verdict[i] (an enum drop_cause) is not DROP_NONE, counts them, and closes
 * the gaps in every column. The slow path: a stage calls it only when it has something to drop. */
SLOW_PATH burst_drop(struct burst *burst, const uint8_t *verdict);

#endif
