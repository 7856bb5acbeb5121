/* SPDX-License-Identifier: Apache-2.0 */
#include "stage.h"

#include <rte_debug.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REGISTERED_MAX = 64 };

static const struct stage *registered[REGISTERED_MAX];
static uint32_t registered_count;

void stage_register(const struct stage *stage)
{
    RTE_VERIFY(registered_count < REGISTERED_MAX && stage_find(stage->name) == NULL);
    registered[registered_count++] = stage;
}

const struct stage *stage_find(const char *name)
{
    for (uint32_t i = 0; i < registered_count; i++) {
        if (strcmp(registered[i]->name, name) == 0)
            return registered[i];
    }
    return NULL;
}

void stage_each(void (*what)(const struct stage *stage))
{
    for (uint32_t i = 0; i < registered_count; i++)
        what(registered[i]);
}

void *stage_fails(const struct stage_site *site, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(site->error, site->error_bytes, format, arguments);
    va_end(arguments);
    return NULL;
}
