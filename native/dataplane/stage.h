/* SPDX-License-Identifier: Apache-2.0
 *
 * A stage: one network function that takes a burst. Start reading here, then stages/.
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

enum stage_id { STAGE_ACL, STAGE_KEY, STAGE_CLASSIFY, STAGE_ACTIONS, STAGE_ROUTE, STAGES };

#define STAGE_FUNCTION __attribute__((noinline)) void

typedef void (*stage_run)(void *tables, struct burst *burst);

struct stage {
    const char *name;
    stage_run run;
    /* Builds the tables; NULL with a sentence in `error` when it can't. */
    void *(*create)(const struct config *config, char *error, size_t error_bytes);
    void (*destroy)(void *tables);
    uint32_t needs; /* bit set of stages that must run before it */
};

extern const struct stage stages[STAGES];

/* An ordered subset of the stages: how one burst is treated. */
struct pipeline {
    uint8_t length;
    uint8_t order[STAGES];
};

/* Reads "acl,key,route" (or "none"); false with a sentence in `error` on a bad name, order or need.
 */
bool pipeline_parse(const char *text, struct pipeline *pipeline, char *error, size_t error_bytes);

#endif
