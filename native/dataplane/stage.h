/* SPDX-License-Identifier: Apache-2.0
 *
 * A stage: one step of a network function, which takes a burst. Start reading here, then
 * function.h (which functions there are) and stages/.
 *
 * A stage owns its tables (`create`), runs on a burst (`run`, never inlined, so that its
 * instructions can be counted), and says what it needs from the stages before it.
 */
#ifndef PLANECAST_STAGE_H
#define PLANECAST_STAGE_H

#include <stdbool.h>
#include <stdint.h>

#include "burst.h"

struct config;

/* In the order in which a function runs them. */
enum stage_id {
    STAGE_ACL,
    STAGE_KEY,
    STAGE_CLASSIFY,
    STAGE_ACTIONS,
    STAGE_ROUTE,
    STAGE_DOWNROUTE,
    STAGE_QINQ,
    STAGE_TM,
    STAGE_COMPUTE,
    STAGE_MACSWAP,
    STAGE_LEARN,
    STAGE_FORWARD,
    STAGE_IP4_CHECK,
    STAGE_IP4_NEXT_HOP,
    STAGE_IP4_REWRITE,
    STAGES
};

#define STAGE_FUNCTION __attribute__((noinline)) void

typedef void (*stage_run)(void *tables, struct burst *burst);

struct stage {
    const char *name;
    stage_run run;
    /* Builds the tables; NULL with a sentence in `error` when it can't. NULL: it has none. */
    void *(*create)(const struct config *config, char *error, size_t error_bytes);
    void (*destroy)(void *tables);
    uint32_t needs; /* bit set of stages that must run before it */
    bool timed;     /* it reads burst->now_tsc */
    /* Packets that it holds back: they came in and are neither out nor dropped. NULL: never any. */
    uint64_t (*held)(const void *tables);
    /* Into the burst, which is empty, some of the packets that it holds on burst->lcore; called
     * until `held` says 0. */
    void (*flush)(void *tables, struct burst *burst);
};

extern const struct stage stages[STAGES];

/* An ordered subset of a function's stages: how one burst is treated. */
struct pipeline {
    uint8_t length;
    uint8_t order[STAGES];
};

#endif
