/* SPDX-License-Identifier: Apache-2.0 */
#include "function.h"

#include <stdio.h>
#include <string.h>

#define BIT(stage) (1U << (stage))

const struct function functions[FUNCTIONS] = {
    [FUNCTION_VPE_UPSTREAM] = {"vpe-upstream", "provider edge router: QinQ-IPv4 in, MPLS-IPv4 out",
                               FORMAT_QINQ,
                               BIT(STAGE_ACL) | BIT(STAGE_KEY) | BIT(STAGE_CLASSIFY) |
                                   BIT(STAGE_ACTIONS) | BIT(STAGE_ROUTE),
                               false},
    [FUNCTION_L2PATCH] = {"l2patch", "port to port, nothing else", FORMAT_PLAIN, 0, false},
    [FUNCTION_VPE_DOWNSTREAM] = {"vpe-downstream",
                                 "provider edge router: IPv4 in, QinQ-IPv4 out, scheduled",
                                 FORMAT_TUPLE,
                                 BIT(STAGE_DOWNROUTE) | BIT(STAGE_QINQ) | BIT(STAGE_TM), false},
    [FUNCTION_COMPUTE] = {"compute", "compute reference: an iteration for each packet",
                          FORMAT_PLAIN, BIT(STAGE_COMPUTE), false},
    [FUNCTION_MACSWAP] = {"macswap", "back to where it came from: MAC addresses swapped",
                          FORMAT_PLAIN, BIT(STAGE_MACSWAP), false},
    [FUNCTION_L2BRIDGE] = {"l2bridge", "MAC learning bridge with ageing and flooding", FORMAT_PLAIN,
                           BIT(STAGE_LEARN) | BIT(STAGE_FORWARD), true},
    [FUNCTION_IP4] = {"ip4", "IPv4 router: next hop by longest prefix", FORMAT_PLAIN,
                      BIT(STAGE_IP4_CHECK) | BIT(STAGE_IP4_NEXT_HOP) | BIT(STAGE_IP4_REWRITE),
                      true},
};

uint32_t function_chooser(const struct function *function)
{
    return function->chooses ? BIT(31 - __builtin_clz(function->stages)) : 0;
}

void function_stages_text(const struct function *function, char *text, size_t text_bytes)
{
    int used = 0;
    snprintf(text, text_bytes, "none");
    for (int id = 0; id < STAGES && used >= 0 && (size_t)used < text_bytes; id++) {
        if ((function->stages & BIT(id)) != 0)
            used += snprintf(text + used, text_bytes - (size_t)used, "%s%s", used > 0 ? ", " : "",
                             stages[id].name);
    }
}

static int stage_by_name(const struct function *function, const char *name, size_t length)
{
    for (int id = 0; id < STAGES; id++) {
        if ((function->stages & BIT(id)) != 0 && strlen(stages[id].name) == length &&
            memcmp(stages[id].name, name, length) == 0)
            return id;
    }
    return -1;
}

static void take_all(const struct function *function, struct pipeline *pipeline)
{
    for (int id = 0; id < STAGES; id++) {
        if ((function->stages & BIT(id)) != 0)
            pipeline->order[pipeline->length++] = (uint8_t)id;
    }
}

/* A stage that comes after `last`, when those in `seen` are before it. */
static bool check_stage(const struct function *function, int id, int last, uint32_t seen,
                        char *error, size_t error_bytes)
{
    if (id <= last) {
        char names[256];
        function_stages_text(function, names, sizeof names);
        snprintf(error, error_bytes, "'%s' can't come after '%s'; the order is %s", stages[id].name,
                 stages[last].name, names);
        return false;
    }
    for (int need = 0; need < STAGES; need++) {
        if ((stages[id].needs & ~seen & BIT(need)) != 0) {
            snprintf(error, error_bytes, "'%s' needs the stage '%s' before it", stages[id].name,
                     stages[need].name);
            return false;
        }
    }
    return true;
}

bool pipeline_parse(const struct function *function, const char *text, struct pipeline *pipeline,
                    char *error, size_t error_bytes)
{
    *pipeline = (struct pipeline){0};
    if (strcmp(text, "none") == 0)
        return true;
    if (strcmp(text, "all") == 0) {
        take_all(function, pipeline);
        return true;
    }
    uint32_t seen = 0;
    int last = -1;
    for (;; text++) { /* past the comma */
        size_t length = strcspn(text, ",");
        int id = stage_by_name(function, text, length);
        if (id < 0) {
            char names[256];
            function_stages_text(function, names, sizeof names);
            snprintf(error, error_bytes, "%s has no stage '%.*s'; it takes all, none or some of %s",
                     function->name, (int)length, text, names);
            return false;
        }
        if (!check_stage(function, id, last, seen, error, error_bytes))
            return false;
        pipeline->order[pipeline->length++] = (uint8_t)id;
        seen |= BIT(id);
        last = id;
        text += length;
        if (*text == '\0')
            return true;
    }
}
