/* SPDX-License-Identifier: Apache-2.0 */
#include "config_types.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ip4_routes.h"

static void *place(struct config *config, const struct config_key *key)
{
    return (char *)config + key->offset;
}

/* A whole decimal number in the bounds, ended by `end` or by one of `stops`; NULL when there is
 * none. */
static const char *parse_number(const char *text, uint64_t min, uint64_t max, const char *stops,
                                uint64_t *value)
{
    if (*text < '0' || *text > '9')
        return NULL;
    char *end = NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno != 0 || *value < min || *value > max)
        return NULL;
    if (*end != '\0' && strchr(stops, *end) == NULL)
        return NULL;
    return end;
}

static bool read_u32(struct config *config, const struct config_key *key, const char *text,
                     char *reason, size_t reason_bytes)
{
    uint64_t value = 0;
    (void)reason;
    (void)reason_bytes;
    if (parse_number(text, key->min, key->max, "", &value) == NULL)
        return false;
    *(uint32_t *)place(config, key) = (uint32_t)value;
    return true;
}

static bool read_u64(struct config *config, const struct config_key *key, const char *text,
                     char *reason, size_t reason_bytes)
{
    (void)reason;
    (void)reason_bytes;
    return parse_number(text, key->min, key->max, "", place(config, key)) != NULL;
}

static void allow_number(const struct config_key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "a whole number from %" PRIu64 " to %" PRIu64, key->min, key->max);
}

static bool read_bool(struct config *config, const struct config_key *key, const char *text,
                      char *reason, size_t reason_bytes)
{
    (void)reason;
    (void)reason_bytes;
    bool on = strcmp(text, "on") == 0;
    if (!on && strcmp(text, "off") != 0)
        return false;
    *(bool *)place(config, key) = on;
    return true;
}

static void allow_bool(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "on or off");
}

static bool read_ipv4(struct config *config, const struct config_key *key, const char *text,
                      char *reason, size_t reason_bytes)
{
    struct in_addr address;
    (void)reason;
    (void)reason_bytes;
    if (inet_pton(AF_INET, text, &address) != 1)
        return false;
    *(uint32_t *)place(config, key) = ntohl(address.s_addr);
    return true;
}

static void allow_ipv4(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "four numbers such as 0.4.0.0");
}

static bool read_dscps(struct config *config, const struct config_key *key, const char *text,
                       char *reason, size_t reason_bytes)
{
    (void)reason;
    (void)reason_bytes;
    config->dscp_count = 0;
    for (;;) {
        uint64_t value = 0;
        text = parse_number(text, key->min, key->max, ",", &value);
        if (text == NULL || config->dscp_count == DSCPS_MAX)
            return false;
        config->dscp[config->dscp_count++] = (uint8_t)value;
        if (*text == '\0')
            return true;
        text++;
    }
}

static void allow_dscps(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "up to 64 numbers from 0 to 63, such as 0,10,46");
}

static bool read_cpus(struct config *config, const struct config_key *key, const char *text,
                      char *reason, size_t reason_bytes)
{
    config->lcore_count = 0;
    for (;;) {
        uint64_t first = 0, last = 0;
        text = parse_number(text, key->min, key->max, "-,", &first);
        if (text == NULL)
            return false;
        last = first;
        if (*text == '-')
            text = parse_number(text + 1, first, key->max, ",", &last);
        if (text == NULL)
            return false;
        for (uint64_t cpu = first; cpu <= last; cpu++) {
            if (config->lcore_count == LCORES_MAX) {
                snprintf(reason, reason_bytes, "more than %d CPUs; it takes up to %d", LCORES_MAX,
                         LCORES_MAX);
                return false;
            }
            config->lcore_cpu[config->lcore_count++] = (uint16_t)cpu;
        }
        if (*text == '\0')
            return true;
        text++;
    }
}

static void allow_cpus(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "a CPU list such as 1 or 0-3,8");
}

/* The number of the name that the text is; -1: of none. */
static int find_name(const char *text, const char *const *names, int count)
{
    for (int i = 0; i < count; i++) {
        if (strcmp(text, names[i]) == 0)
            return i;
    }
    return -1;
}

/* Enumerations whose names are in order. */
#define NAMED_TYPE(what, ...)                                                                      \
    static const char *const what##_names[] = {__VA_ARGS__};                                       \
    static bool read_##what(struct config *config, const struct config_key *key, const char *text, \
                            char *reason, size_t reason_bytes)                                     \
    {                                                                                              \
        (void)reason;                                                                              \
        (void)reason_bytes;                                                                        \
        int found = find_name(text, what##_names, sizeof what##_names / sizeof *what##_names);     \
        if (found >= 0)                                                                            \
            *(unsigned *)place(config, key) = (unsigned)found;                                     \
        return found >= 0;                                                                         \
    }

NAMED_TYPE(pages, [PAGES_AUTO] = "auto", [PAGES_4KIB] = "4KiB", [PAGES_2MIB] = "2MiB")
NAMED_TYPE(flow_table, [FLOW_TABLE_BUCKETS] = "buckets", [FLOW_TABLE_RTE_HASH] = "rte_hash")

static void allow_pages(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "auto, 4KiB or 2MiB");
}

static void allow_flow_table(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "buckets or rte_hash");
}

NAMED_TYPE(lookup, [LOOKUP_LPM] = "lpm", [LOOKUP_HASH] = "hash")

static void allow_lookup(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "lpm or hash");
}

static bool read_ports(struct config *config, const struct config_key *key, const char *text,
                       char *reason, size_t reason_bytes)
{
    static const char internal[] = "internal";
    struct port_list *list = place(config, key);
    (void)reason;
    (void)reason_bytes;
    for (list->count = 0; list->count < PORTS_MAX; text++) {
        uint64_t port = 0;
        size_t length = strcspn(text, ",");
        bool ours = length == strlen(internal) && memcmp(text, internal, length) == 0;
        if (!ours && parse_number(text, key->min, key->max, ",", &port) == NULL)
            return false;
        list->port[list->count++] = ours ? PORT_INTERNAL : (int32_t)port;
        text += length;
        if (*text == '\0')
            return true;
    }
    return false;
}

static void allow_ports(const struct config_key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes,
             "up to %d of internal and DPDK ports from %" PRIu64 " to %" PRIu64 ", such as 0,1",
             PORTS_MAX, key->min, key->max);
}

static bool read_function(struct config *config, const struct config_key *key, const char *text,
                          char *reason, size_t reason_bytes)
{
    (void)reason;
    (void)reason_bytes;
    for (int id = 0; id < FUNCTIONS; id++) {
        if (strcmp(text, functions[id].name) != 0)
            continue;
        *(enum function_id *)place(config, key) = (enum function_id)id;
        return true;
    }
    return false;
}

static void allow_function(const struct config_key *key, char *text, size_t text_bytes)
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
static bool read_text(struct config *config, const struct config_key *key, const char *text,
                      char *reason, size_t reason_bytes)
{
    (void)reason;
    (void)reason_bytes;
    return snprintf(place(config, key), STAGES_TEXT, "%s", text) < STAGES_TEXT;
}

static void allow_text(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "names with commas");
}

NAMED_TYPE(route_lookup, [ROUTE_LOOKUP_LPM] = "lpm", [ROUTE_LOOKUP_FIB] = "fib")

static void allow_route_lookup(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "lpm or fib");
}

static bool read_depth(struct config *config, const struct config_key *key, const char *text,
                       char *reason, size_t reason_bytes)
{
    if (strcmp(text, "mixed") != 0)
        return read_u32(config, key, text, reason, reason_bytes);
    *(uint32_t *)place(config, key) = DEPTH_MIXED;
    return true;
}

static void allow_depth(const struct config_key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "mixed, or a whole number from %" PRIu64 " to %" PRIu64, key->min,
             key->max);
}

const struct config_type type_u32 = {read_u32, allow_number};
const struct config_type type_u64 = {read_u64, allow_number};
const struct config_type type_bool = {read_bool, allow_bool};
const struct config_type type_ipv4 = {read_ipv4, allow_ipv4};
const struct config_type type_dscps = {read_dscps, allow_dscps};
const struct config_type type_cpus = {read_cpus, allow_cpus};
const struct config_type type_pages = {read_pages, allow_pages};
const struct config_type type_ports = {read_ports, allow_ports};
const struct config_type type_function = {read_function, allow_function};
const struct config_type type_text = {read_text, allow_text};
const struct config_type type_lookup = {read_lookup, allow_lookup};
const struct config_type type_route_lookup = {read_route_lookup, allow_route_lookup};
const struct config_type type_depth = {read_depth, allow_depth};
const struct config_type type_flow_table = {read_flow_table, allow_flow_table};
