/* SPDX-License-Identifier: Apache-2.0 */
#include "config_types.h"

#include <string.h>

#include "config.h"
#include "ip4_routes.h"
#include "numbers.h"

static bool read_ports(void *place, const struct key *key, const char *text)
{
    static const char internal[] = "internal";
    struct port_list *list = place;
    for (list->count = 0; list->count < PORTS_MAX; text++) {
        uint64_t port = 0;
        size_t length = strcspn(text, ",");
        bool ours = length == strlen(internal) && memcmp(text, internal, length) == 0;
        if (!ours && parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, ",", &port) == NULL)
            return false;
        list->port[list->count++] = ours ? PORT_INTERNAL : (int32_t)port;
        text += length;
        if (*text == '\0')
            return true;
    }
    return false;
}

static void allow_ports(const struct key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "up to %d of internal and DPDK ports from %.0f to %.0f, such as 0,1",
             PORTS_MAX, key->min, key->max);
}

static bool read_function(void *place, const struct key *key, const char *text)
{
    (void)key;
    for (int id = 0; id < FUNCTIONS; id++) {
        if (strcmp(text, functions[id].name) != 0)
            continue;
        *(enum function_id *)place = (enum function_id)id;
        return true;
    }
    return false;
}

static void allow_function(const struct key *key, char *text, size_t text_bytes)
{
    int used = 0;
    (void)key;
    for (int id = 0; id < FUNCTIONS && used >= 0 && (size_t)used < text_bytes; id++)
        used += snprintf(text + used, text_bytes - (size_t)used, "%s%s",
                         id == 0              ? ""
                         : id < FUNCTIONS - 1 ? ", "
                                              : " or ",
                         functions[id].name);
}

/* Which stages there are depends on the function, which may stand further below. */
static bool read_names(void *place, const struct key *key, const char *text)
{
    (void)key;
    return snprintf(place, STAGES_TEXT, "%s", text) < STAGES_TEXT;
}

static void allow_names(const struct key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "names with commas");
}

static bool read_depth(void *place, const struct key *key, const char *text)
{
    if (strcmp(text, "mixed") != 0)
        return type_u32.read(place, key, text);
    *(uint32_t *)place = DEPTH_MIXED;
    return true;
}

static void allow_depth(const struct key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "mixed, or a whole number from %.0f to %.0f", key->min, key->max);
}

const struct key_type type_ports = {read_ports, allow_ports};
const struct key_type type_function = {read_function, allow_function};
const struct key_type type_names = {read_names, allow_names};
const struct key_type type_depth = {read_depth, allow_depth};
