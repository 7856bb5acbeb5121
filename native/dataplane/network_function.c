/* SPDX-License-Identifier: Apache-2.0 */
#include "network_function.h"

#include <stdio.h>
#include <string.h>

#include "stages/bridge.h"
#include "stages/downstream.h"
#include "stages/ip4.h"
#include "stages/upstream.h"

static const uint8_t no_columns[] = {0};

const struct function functions[FUNCTIONS] = {
    [FUNCTION_VPE_UPSTREAM] = {"vpe-upstream", "provider edge router: QinQ-IPv4 in, MPLS-IPv4 out",
                               FORMAT_QINQ, .columns = upstream_column_bytes,
                               .stages = {"acl", "key", "classify", "actions", "route"}},
    [FUNCTION_L2PATCH] = {"l2patch", "port to port, nothing else", FORMAT_PLAIN,
                          .columns = no_columns},
    [FUNCTION_VPE_DOWNSTREAM] = {"vpe-downstream",
                                 "provider edge router: IPv4 in, QinQ-IPv4 out, scheduled",
                                 FORMAT_TUPLE, .columns = downstream_column_bytes,
                                 .stages = {"downroute", "qinq", "tm"}},
    [FUNCTION_COMPUTE] = {"compute", "compute reference: an iteration for each packet",
                          FORMAT_PLAIN, .columns = no_columns, .stages = {"compute"}},
    [FUNCTION_MACSWAP] = {"macswap", "back to where it came from: MAC addresses swapped",
                          FORMAT_PLAIN, .columns = no_columns, .stages = {"macswap"}},
    [FUNCTION_L2BRIDGE] = {"l2bridge", "MAC learning bridge with ageing and flooding", FORMAT_PLAIN,
                           .columns = bridge_column_bytes, .stages = {"learn", "forward"},
                           .chooses = true},
    [FUNCTION_IP4] = {"ip4", "IPv4 router: next hop by longest prefix", FORMAT_PLAIN,
                      .columns = ip4_column_bytes, .stages = {"check", "next_hop", "rewrite"},
                      .chooses = true},
};

uint32_t function_length(const struct function *function)
{
    uint32_t length = 0;
    while (function->stages[length] != NULL)
        length++;
    return length;
}

const struct stage *function_stage(const struct function *function, uint32_t position)
{
    return stage_find(function->stages[position]);
}

int function_find(const struct function *function, const char *name, size_t length)
{
    for (int i = 0; function->stages[i] != NULL; i++) {
        if (strlen(function->stages[i]) == length && memcmp(function->stages[i], name, length) == 0)
            return i;
    }
    return -1;
}

void function_stages_text(const struct function *function, char *text, size_t text_bytes)
{
    int used = 0;
    snprintf(text, text_bytes, "none");
    for (int i = 0; function->stages[i] != NULL && used >= 0 && (size_t)used < text_bytes; i++)
        used += snprintf(text + used, text_bytes - (size_t)used, "%s%s", used > 0 ? ", " : "",
                         function->stages[i]);
}

bool pipeline_has(const struct pipeline *pipeline, const char *stage)
{
    for (uint8_t i = 0; i < pipeline->length; i++) {
        if (strcmp(pipeline->function->stages[pipeline->order[i]], stage) == 0)
            return true;
    }
    return false;
}

bool pipeline_chooses(const struct pipeline *pipeline)
{
    return pipeline->function->chooses && pipeline->length > 0 &&
           pipeline->order[pipeline->length - 1] == function_length(pipeline->function) - 1;
}

/* A stage that comes after those of the pipeline. */
static bool add_stage(struct pipeline *pipeline, int position, char *error, size_t error_bytes)
{
    const char *const *names = pipeline->function->stages;
    const char *need = stage_find(names[position])->needs;
    int last = pipeline->length > 0 ? pipeline->order[pipeline->length - 1] : -1;
    if (position <= last) {
        char text[256];
        function_stages_text(pipeline->function, text, sizeof text);
        snprintf(error, error_bytes, "'%s' can't come after '%s'; the order is %s", names[position],
                 names[last], text);
        return false;
    }
    if (need != NULL && !pipeline_has(pipeline, need)) {
        snprintf(error, error_bytes, "'%s' needs the stage '%s' before it", names[position], need);
        return false;
    }
    pipeline->order[pipeline->length++] = (uint8_t)position;
    return true;
}

bool pipeline_parse(const struct function *function, const char *text, struct pipeline *pipeline,
                    char *error, size_t error_bytes)
{
    *pipeline = (struct pipeline){.function = function};
    if (strcmp(text, "none") == 0)
        return true;
    if (strcmp(text, "all") == 0) {
        for (uint32_t i = 0; i < function_length(function); i++)
            pipeline->order[pipeline->length++] = (uint8_t)i;
        return true;
    }
    for (;; text++) { /* past the comma */
        size_t length = strcspn(text, ",");
        int position = function_find(function, text, length);
        if (position < 0) {
            char names[256];
            function_stages_text(function, names, sizeof names);
            snprintf(error, error_bytes, "%s has no stage '%.*s'; it takes all, none or some of %s",
                     function->name, (int)length, text, names);
            return false;
        }
        if (!add_stage(pipeline, position, error, error_bytes))
            return false;
        text += length;
        if (*text == '\0')
            return true;
    }
}
