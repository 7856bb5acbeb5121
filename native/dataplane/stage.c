/* SPDX-License-Identifier: Apache-2.0 */
#include "stage.h"

#include <stdio.h>
#include <string.h>

#include "stages/stages.h"

#define NEEDS(id) (1U << (id))

static void *no_tables(const struct config *config, char *error, size_t error_bytes)
{
    static char nothing;
    (void)config;
    (void)error;
    (void)error_bytes;
    return &nothing;
}

static void no_destroy(void *tables)
{
    (void)tables;
}

const struct stage stages[STAGES] = {
    [STAGE_ACL] = {"acl", stage_acl, acl_create, acl_destroy, 0},
    [STAGE_KEY] = {"key", stage_key, no_tables, no_destroy, 0},
    [STAGE_CLASSIFY] = {"classify", stage_classify, classify_create, classify_destroy,
                        NEEDS(STAGE_KEY)},
    [STAGE_ACTIONS] = {"actions", stage_actions, actions_create, actions_destroy, NEEDS(STAGE_KEY)},
    [STAGE_ROUTE] = {"route", stage_route, route_create, route_destroy, NEEDS(STAGE_KEY)},
};

static int stage_by_name(const char *name, size_t length)
{
    for (int id = 0; id < STAGES; id++) {
        if (strlen(stages[id].name) == length && memcmp(stages[id].name, name, length) == 0)
            return id;
    }
    return -1;
}

bool pipeline_parse(const char *text, struct pipeline *pipeline, char *error, size_t error_bytes)
{
    *pipeline = (struct pipeline){0};
    if (strcmp(text, "none") == 0)
        return true;
    uint32_t seen = 0;
    int last = -1;
    for (;; text++) { /* past the comma */
        size_t length = strcspn(text, ",");
        int id = stage_by_name(text, length);
        if (id < 0) {
            snprintf(
                error, error_bytes,
                "no stage is called '%.*s'; there are acl, key, classify, actions, route (or none)",
                (int)length, text);
            return false;
        }
        if (id <= last) {
            snprintf(error, error_bytes,
                     "'%s' can't come after '%s'; the order is acl, key, classify, actions, route",
                     stages[id].name, stages[last].name);
            return false;
        }
        if ((stages[id].needs & ~seen) != 0) {
            snprintf(error, error_bytes, "'%s' needs the stage 'key' before it", stages[id].name);
            return false;
        }
        pipeline->order[pipeline->length++] = (uint8_t)id;
        seen |= 1U << id;
        last = id;
        text += length;
        if (*text == '\0')
            return true;
    }
}
