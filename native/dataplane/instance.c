/* SPDX-License-Identifier: Apache-2.0 */
#include "instance.h"

#include <string.h>

#include "lcore_map.h"

/* The stage's tables on a socket, made when they are first asked for. */
static bool open_tables(struct instance *instances, uint32_t position,
                        const struct stage_site *site, void **tables)
{
    struct instance *instance = &instances[position];
    const struct stage *stage = instance->stage;
    int socket = stage->one_table ? 0 : site->socket;
    *tables = NULL;
    for (uint32_t i = 0; i < position && stage->tables_of != NULL; i++) {
        if (strcmp(instances[i].stage->name, stage->tables_of) == 0)
            *tables = instances[i].tables[instances[i].stage->one_table ? 0 : site->socket];
    }
    if (stage->create == NULL)
        return true;
    if (instance->tables[socket] == NULL)
        instance->tables[socket] = stage->create(site);
    *tables = instance->tables[socket];
    return *tables != NULL;
}

static bool open_chain(struct instance *instances, uint32_t position, uint32_t chain,
                       struct stage_site *site)
{
    struct instance *instance = &instances[position];
    const struct stage *stage = instance->stage;
    if (!open_tables(instances, position, site, &site->tables))
        return false;
    instance->context[chain] = stage->open == NULL ? site->tables : stage->open(site);
    instance->chains = chain + 1;
    return stage->open == NULL || instance->context[chain] != NULL;
}

bool instance_open(struct instance *instances, uint32_t position, const struct config *config,
                   char *error, size_t error_bytes)
{
    bool fine = true;
    instances[position].stage = function_stage(config_function(config), position);
    for (uint32_t chain = 0; chain < chains_of(config) && fine; chain++) {
        uint32_t lcore = chain * segments_of(config) + segment_of(config, position);
        struct stage_site site = {.config = config,
                                  .socket = socket_of_lcore(config, lcore),
                                  .lcore = lcore,
                                  .error = error,
                                  .error_bytes = error_bytes};
        prefer_socket(site.socket);
        fine = open_chain(instances, position, chain, &site);
        prefer_here();
    }
    return fine;
}

void instance_close(struct instance *instance)
{
    const struct stage *stage = instance->stage;
    for (uint32_t chain = 0; chain < instance->chains; chain++) {
        if (stage->close != NULL && instance->context[chain] != NULL)
            stage->close(instance->context[chain]);
    }
    for (uint32_t socket = 0; socket < SOCKETS_MAX; socket++) {
        if (instance->tables[socket] != NULL)
            stage->destroy(instance->tables[socket]);
    }
    *instance = (struct instance){0};
}

uint64_t instance_held(const struct instance *instance)
{
    uint64_t held = 0;
    for (uint32_t chain = 0; chain < instance->chains && instance->stage->held != NULL; chain++)
        held += instance->stage->held(instance->context[chain]);
    return held;
}

void *stage_context(const struct stage_use *use, const char *name)
{
    const struct function *function = use->pipeline->function;
    if (!pipeline_has(use->pipeline, name))
        return NULL;
    return use->instances[function_find(function, name, strlen(name))].context[use->chain];
}
