/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry.h"

#include <limits.h>
#include <pthread.h>
#include <rte_eal.h>
#include <rte_telemetry.h>
#include <string.h>

/* The socket's callbacks get no pointer of ours and run on a thread of EAL's, which lives longer
 * than the tables. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct dataplane *served;

static int serve_stats(const char *command, const char *parameters, struct rte_tel_data *data)
{
    (void)command;
    (void)parameters;
    pthread_mutex_lock(&lock);
    rte_tel_data_start_dict(data);
    if (served != NULL) {
        struct totals totals = dataplane_totals(served);
        rte_tel_data_add_dict_u64(data, "packets_in", totals.packets_in);
        rte_tel_data_add_dict_u64(data, "packets_out", totals.packets_out);
        rte_tel_data_add_dict_u64(data, "copies", totals.copies);
        rte_tel_data_add_dict_u64(data, "in_flight", totals.in_flight);
        rte_tel_data_add_dict_u64(data, "bursts", totals.bursts);
        rte_tel_data_add_dict_u64(data, "empty_polls", totals.empty_polls);
        for (int cause = DROP_NONE + 1; cause < DROP_CAUSES; cause++) {
            char name[64];
            snprintf(name, sizeof name, "drop_%s", drop_cause_name[cause]);
            rte_tel_data_add_dict_u64(data, name, totals.drops[cause]);
        }
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* {"cycles": …, "bursts": …, "packets": …} of one clock, summed over lcores. */
static struct rte_tel_data *stage_dict(const struct dataplane *dataplane, uint32_t clock)
{
    uint64_t cycles = 0, bursts = 0, packets = 0;
    for (uint32_t i = 0; i < dataplane->config.lcores.count; i++) {
        const struct lcore *lcore = dataplane->lcore[i];
        cycles += lcore->stage_cycles[clock];
        bursts += lcore->stage_bursts[clock];
        packets += lcore->stage_packets[clock];
    }
    struct rte_tel_data *dict = rte_tel_data_alloc();
    if (dict == NULL)
        return NULL;
    rte_tel_data_start_dict(dict);
    rte_tel_data_add_dict_u64(dict, "cycles", cycles);
    rte_tel_data_add_dict_u64(dict, "bursts", bursts);
    rte_tel_data_add_dict_u64(dict, "packets", packets);
    return dict;
}

/* A clock that some lcore reads. */
static bool is_read(const struct config *config, uint32_t clock)
{
    if (clock == CLOCK_SOURCE || clock == CLOCK_TX)
        return true;
    if (clock == CLOCK_DEQUEUE || clock == CLOCK_ENQUEUE)
        return config->cuts != 0;
    return clock - CLOCK_OF(0) < function_length(config_function(config));
}

static int serve_stages(const char *command, const char *parameters, struct rte_tel_data *data)
{
    (void)command;
    (void)parameters;
    pthread_mutex_lock(&lock);
    rte_tel_data_start_dict(data);
    for (uint32_t clock = 0; served != NULL && clock < CLOCKS; clock++) {
        struct rte_tel_data *dict =
            is_read(&served->config, clock) ? stage_dict(served, clock) : NULL;
        if (dict != NULL)
            rte_tel_data_add_dict_container(
                data, clock_name(config_function(&served->config), clock), dict, 0);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* {"capacity": …, "packets": …} of the ring behind each lcore that hands packets on, by its CPU. */
static int serve_rings(const char *command, const char *parameters, struct rte_tel_data *data)
{
    (void)command;
    (void)parameters;
    pthread_mutex_lock(&lock);
    rte_tel_data_start_dict(data);
    for (uint32_t i = 0; served != NULL && i < served->config.lcores.count; i++) {
        const struct handoff *out = &served->lcore[i]->out;
        struct rte_tel_data *dict = out->rings > 0 ? rte_tel_data_alloc() : NULL;
        if (dict == NULL)
            continue;
        char name[32];
        snprintf(name, sizeof name, "cpu_%u", served->lcore[i]->cpu);
        rte_tel_data_start_dict(dict);
        rte_tel_data_add_dict_u64(dict, "packets", handoff_count(out));
        rte_tel_data_add_dict_u64(dict, "capacity",
                                  (uint64_t)out->rings * served->config.handoff_ring);
        rte_tel_data_add_dict_container(data, name, dict, 0);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

/* What the stage whose command it is has counted. */
static int serve_stage(const char *command, const char *parameters, struct rte_tel_data *data)
{
    (void)parameters;
    pthread_mutex_lock(&lock);
    rte_tel_data_start_dict(data);
    for (uint32_t i = 0; served != NULL && i < STAGES_MAX; i++) {
        const struct instance *instance = &served->stage[i];
        const struct stage *stage = instance->stage;
        if (stage != NULL && stage->telemetry != NULL && strcmp(stage->telemetry, command) == 0)
            stage->report(&served->config, instance->context, instance->chains, data);
    }
    pthread_mutex_unlock(&lock);
    return 0;
}

static void register_stage(const struct stage *stage)
{
    if (stage->telemetry != NULL)
        rte_telemetry_register_cmd(stage->telemetry, serve_stage, stage->telemetry_help);
}

void telemetry_open(struct dataplane *dataplane)
{
    pthread_mutex_lock(&lock);
    served = dataplane;
    pthread_mutex_unlock(&lock);
    rte_telemetry_register_cmd(
        "/planecast/stats", serve_stats,
        "Packets in and out, bursts, empty polls, drops by cause. No parameters.");
    rte_telemetry_register_cmd("/planecast/rings", serve_rings,
                               "Packets in the rings between lcores, and room. No parameters.");
    rte_telemetry_register_cmd(
        "/planecast/stages", serve_stages,
        "Cycles, bursts and packets by stage, of the bursts that were sampled. No parameters.");
    stage_each(register_stage);
}

void telemetry_close(void)
{
    pthread_mutex_lock(&lock);
    served = NULL;
    pthread_mutex_unlock(&lock);
}

const char *telemetry_socket(void)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/dpdk_telemetry.v2", rte_eal_get_runtime_dir());
    return path;
}
