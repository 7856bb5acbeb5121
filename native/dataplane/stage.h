/* SPDX-License-Identifier: Apache-2.0
 *
 * A stage: one step of a network function, which takes a burst. Start reading here, then
 * network_function.h (which functions there are) and stages/.
 *
 * A stage is one file: its descriptor, registered by STAGE_REGISTER before main begins, as nodes of
 * rte_graph are, and found by name. What it works with is its own:
 *
 *   tables   what lcores only read: one copy for each socket that runs the stage
 *   context  what one chain of lcores alone writes; without one, `run` is given the tables
 *
 * Of other stages it names the one that must run before it (`needs`). A stage that reads what later
 * ones will look up may ask for their lines: `prepare` finds their contexts, if they run.
 */
#ifndef PLANECAST_STAGE_H
#define PLANECAST_STAGE_H

#include <rte_common.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "burst.h"

struct config;
struct config_conflict;
struct instance;
struct pipeline;
struct rte_tel_data;

enum { STAGES_MAX = 8 }; /* of one function */

/* What tables and contexts are made for. */
struct stage_site {
    const struct config *config;
    int socket;     /* whose memory is near */
    uint32_t lcore; /* of a context: index of the lcore that runs the stage */
    void *tables;   /* of a context: the stage's on this socket */
    char *error;    /* room for a sentence */
    size_t error_bytes;
};

/* Leaves a sentence at the site; NULL. */
__attribute__((format(printf, 2, 3))) void *stage_fails(const struct stage_site *site,
                                                        const char *format, ...);

/* What a trial does with the stages of one chain. */
struct stage_use {
    const struct pipeline *pipeline;
    uint32_t flow_chains; /* chains of lcores that packets of one flow may come to */
    const struct instance *instances;
    uint32_t chain;
};

/* The context of another stage, or its tables where it has none; NULL: it does not run. */
void *stage_context(const struct stage_use *use, const char *name);

typedef void (*stage_run)(void *context, struct burst *burst);

struct stage {
    const char *name;
    stage_run run;
    const char *needs; /* the stage that must run before it; NULL: none */
    bool timed;        /* it reads burst->now_tsc */

    /* The tables; NULL with a sentence at the site when they can't be made. No function: none. */
    void *(*create)(const struct stage_site *site);
    void (*destroy)(void *tables);
    bool one_table;        /* not one a socket: what one lcore learns all have to know */
    const char *tables_of; /* its tables are this stage's, which it needs */
    uint64_t (*table_bytes)(const struct config *config); /* DPDK memory of one copy */

    /* The context of a chain, likewise. */
    void *(*open)(const struct stage_site *site);
    void (*close)(void *context);
    uint64_t (*context_bytes)(const struct config *config);

    /* Before a trial, on the lcore that runs it. */
    void (*prepare)(void *context, const struct stage_use *use);

    /* False with what is wrong when it can't work so: with these keys; in this pipeline. */
    bool (*check_keys)(const struct config *config, struct config_conflict *conflict);
    bool (*check_pipeline)(const struct config *config, const struct pipeline *pipeline,
                           char *error, size_t error_bytes);

    /* Packets that it holds back: they came in and are neither out nor dropped. */
    uint64_t (*held)(const void *context);
    /* Into the burst, which is empty, some of them; called until `held` says 0. */
    stage_run flush;

    /* What its counters say, on the telemetry socket; `given` are the contexts of all chains, or
     * the tables where it has none. */
    const char *telemetry, *telemetry_help; /* "/planecast/bridge" */
    void (*report)(const struct config *config, void *const *given, uint32_t count,
                   struct rte_tel_data *data);
};

void stage_register(const struct stage *stage);

/* In the file of a stage, after its descriptor. */
#define STAGE_REGISTER(descriptor)                                                                 \
    RTE_INIT(register_##descriptor)                                                                \
    {                                                                                              \
        stage_register(&(descriptor));                                                             \
    }

/* The stage of this name; NULL: there is none. */
const struct stage *stage_find(const char *name);

/* Calls `what` for every stage that is registered. */
void stage_each(void (*what)(const struct stage *stage));

/* `run` of a stage is called stage_<name>: by that profilers find it; never inlined, so that its
 * instructions can be counted. */
#define STAGE_FUNCTION(name)                                                                       \
    static __attribute__((noinline)) void stage_##name(void *context, struct burst *burst)

#endif
