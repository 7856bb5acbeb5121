/* SPDX-License-Identifier: Apache-2.0 */
#include "dataplane.h"

#include <rte_ethdev.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <string.h>

#include "eal.h"
#include "lcore_map.h"
#include "pages.h"
#include "ports.h"
#include "sockets.h"

static bool open_lcore(struct dataplane *dataplane, uint32_t index, char *error, size_t error_bytes)
{
    const struct config *config = &dataplane->config;
    int socket = socket_of_lcore(config, index);
    prefer_socket(socket);
    struct lcore *lcore = rte_zmalloc_socket("lcore", sizeof *lcore, RTE_CACHE_LINE_SIZE, socket);
    dataplane->lcore[index] = lcore;
    bool first = index % segments_of(config) == 0;
    struct lcore *before = first ? NULL : dataplane->lcore[index - 1];
    bool fine = lcore != NULL && lcore_open(lcore, config, index, before);
    prefer_here();
    if (!fine) {
        snprintf(error, error_bytes, "no memory on socket %d for the %u packet buffers of an lcore",
                 socket, config->mbufs);
        return false;
    }
    return true;
}

static bool open_all(struct dataplane *dataplane, char *error, size_t error_bytes)
{
    const struct config *config = &dataplane->config;
    for (uint32_t i = 0; i < function_length(config_function(config)); i++) {
        if (!instance_open(dataplane->stage, i, config, error, error_bytes) || dataplane->stop)
            return false;
    }
    if (!handoff_reserve(config, error, error_bytes))
        return false;
    for (uint32_t i = 0; i < config->lcores.count; i++) {
        if (!open_lcore(dataplane, i, error, error_bytes))
            return false;
    }
    if (!ports_open(dataplane, error, error_bytes))
        return false;
    dataplane->pages = pages_in_use();
    return true;
}

bool dataplane_open(struct dataplane *dataplane, char *error, size_t error_bytes)
{
    uint32_t given = dataplane->config.memory_mb;
    uint32_t needed = eal_memory_needed_mib(&dataplane->config);
    if (open_all(dataplane, error, error_bytes))
        return true;
    size_t used = strlen(error);
    if (given != 0 && given < needed)
        snprintf(error + used, error_bytes - used,
                 "; machine.memory_mb is %u, and about %u are needed (0: as much as that)", given,
                 needed);
    return false;
}

void dataplane_close(struct dataplane *dataplane)
{
    ports_close(dataplane);
    /* Before the pools: a stage may hold packets of theirs. */
    for (int i = 0; i < STAGES_MAX; i++)
        instance_close(&dataplane->stage[i]);
    /* From the end of a chain: rings and pool are the first ones'. */
    for (uint32_t i = dataplane->config.lcores.count; i-- > 0;) {
        struct lcore *lcore = dataplane->lcore[i];
        if (lcore == NULL)
            continue;
        lcore_close(lcore);
        rte_free(lcore);
        dataplane->lcore[i] = NULL;
    }
}

const struct instance *dataplane_stage(const struct dataplane *dataplane, const char *name)
{
    int position = function_find(config_function(&dataplane->config), name, strlen(name));
    return position < 0 ? NULL : &dataplane->stage[position];
}

struct totals dataplane_totals(const struct dataplane *dataplane)
{
    struct totals totals = {0};
    for (int i = 0; i < STAGES_MAX; i++)
        totals.in_flight += instance_held(&dataplane->stage[i]);
    for (uint32_t i = 0; i < dataplane->config.lcores.count; i++) {
        const struct lcore *lcore = dataplane->lcore[i];
        if (lcore->in == NULL)
            totals.packets_in += lcore->packets_in;
        totals.in_flight += handoff_count(&lcore->out);
        totals.packets_out += lcore->sink.packets_out;
        totals.bursts += lcore->bursts;
        totals.empty_polls += lcore->empty_polls;
        totals.copies += lcore->burst.copies;
        for (int cause = 0; cause < DROP_CAUSES; cause++) {
            totals.drops[cause] += lcore->burst.drop_count[cause];
        }
    }
    return totals;
}

struct totals totals_since(const struct totals *now, const struct totals *before)
{
    struct totals between = {
        .packets_in = now->packets_in - before->packets_in,
        .packets_out = now->packets_out - before->packets_out,
        .bursts = now->bursts - before->bursts,
        .empty_polls = now->empty_polls - before->empty_polls,
        .copies = now->copies - before->copies,
        .in_flight = now->in_flight - before->in_flight,
    };
    for (int cause = 0; cause < DROP_CAUSES; cause++)
        between.drops[cause] = now->drops[cause] - before->drops[cause];
    return between;
}

bool totals_conserved(const struct totals *totals)
{
    uint64_t dropped = 0;
    for (int cause = DROP_NONE + 1; cause < DROP_CAUSES; cause++)
        dropped += totals->drops[cause];
    return totals->packets_in + totals->copies == totals->packets_out + dropped + totals->in_flight;
}
