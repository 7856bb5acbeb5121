/* SPDX-License-Identifier: Apache-2.0 */
#include "config_types.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A whole decimal number in the bounds, ended by one of `stops` or the end; NULL when there is
 * none. */
static const char *parse_whole(const char *text, uint64_t min, uint64_t max, const char *stops,
                               uint64_t *value)
{
    char *end = NULL;
    if (*text < '0' || *text > '9')
        return NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno != 0 || *value < min || *value > max)
        return NULL;
    return *end == '\0' || strchr(stops, *end) != NULL ? end : NULL;
}

static bool read_u32(void *place, const struct config_key *key, const char *text)
{
    uint64_t value = 0;
    if (parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, "", &value) == NULL)
        return false;
    *(uint32_t *)place = (uint32_t)value;
    return true;
}

static bool read_u64(void *place, const struct config_key *key, const char *text)
{
    return parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, "", place) != NULL;
}

static void allow_whole(const struct config_key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "a whole number from %.0f to %.0f", key->min, key->max);
}

static bool read_number(void *place, const struct config_key *key, const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= key->min && value <= key->max))
        return false;
    *(double *)place = value;
    return true;
}

static void allow_number(const struct config_key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "a number from %g to %g", key->min, key->max);
}

static bool read_bool(void *place, const struct config_key *key, const char *text)
{
    (void)key;
    bool on = strcmp(text, "on") == 0;
    if (!on && strcmp(text, "off") != 0)
        return false;
    *(bool *)place = on;
    return true;
}

static void allow_bool(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "on or off");
}

static bool read_choice(void *place, const struct config_key *key, const char *text)
{
    uint32_t value = 0;
    for (const char *name = key->choices; name != NULL; value++) {
        size_t length = strcspn(name, ",");
        if (strlen(text) == length && strncmp(name, text, length) == 0) {
            *(uint32_t *)place = value;
            return true;
        }
        name = name[length] == ',' ? name + length + 1 : NULL;
    }
    return false;
}

static void allow_choice(const struct config_key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "one of %s", key->choices);
}

static bool read_ipv4(void *place, const struct config_key *key, const char *text)
{
    struct in_addr address;
    (void)key;
    if (inet_pton(AF_INET, text, &address) != 1)
        return false;
    *(uint32_t *)place = ntohl(address.s_addr);
    return true;
}

static void allow_ipv4(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "four numbers such as 10.0.0.1");
}

static bool read_mac(void *place, const struct config_key *key, const char *text)
{
    unsigned byte[6];
    int used = 0;
    uint64_t value = 0;
    (void)key;
    if (sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &byte[0], &byte[1], &byte[2], &byte[3], &byte[4],
               &byte[5], &used) != 6 ||
        text[used] != '\0')
        return false;
    for (int i = 0; i < 6; i++)
        value = value << 8 | byte[i];
    *(uint64_t *)place = value;
    return true;
}

static void allow_mac(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "six bytes such as 02:00:00:00:00:01");
}

static bool read_cpus(void *place, const struct config_key *key, const char *text)
{
    struct cpus *cpus = place;
    (void)key;
    cpus->count = 0;
    for (;;) {
        uint64_t value = 0;
        text = parse_whole(text, 0, UINT16_MAX, ",", &value);
        if (text == NULL || cpus->count == 2)
            return false;
        cpus->cpu[cpus->count++] = (uint16_t)value;
        if (*text == '\0')
            return true;
        text++;
    }
}

static void allow_cpus(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes,
             "a CPU for both, such as 1, or one for sending and one for "
             "receiving, such as 1,2");
}

static bool read_port(void *place, const struct config_key *key, const char *text)
{
    uint64_t port = 0;
    bool none = strcmp(text, "none") == 0;
    if (!none && parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, "", &port) == NULL)
        return false;
    *(int32_t *)place = none ? PORT_NONE : (int32_t)port;
    return true;
}

static void allow_port(const struct config_key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "none or a DPDK port from %.0f to %.0f", key->min, key->max);
}

static bool read_sizes(void *place, const struct config_key *key, const char *text)
{
    struct sizes *sizes = place;
    uint64_t sum = 0;
    sizes->count = 0;
    if (strcmp(text, "imix") == 0)
        text = "64:7,594:4,1518:1";
    for (;;) {
        uint64_t bytes = 0, weight = 1;
        text = parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, ":,", &bytes);
        if (text != NULL && *text == ':')
            text = parse_whole(text + 1, 1, WEIGHTS_MAX, ",", &weight);
        sum += weight;
        if (text == NULL || sizes->count == SIZES_MAX || sum > WEIGHTS_MAX)
            return false;
        sizes->frame_bytes[sizes->count] = (uint32_t)bytes;
        sizes->weight[sizes->count++] = (uint32_t)weight;
        if (*text == '\0')
            return true;
        text++;
    }
}

static void allow_sizes(const struct config_key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes,
             "a size from %.0f to %.0f, up to %d of them with weights such as 64:7,594:4,1518:1 "
             "(weights sum up to %d or less), or imix, which is that",
             key->min, key->max, SIZES_MAX, WEIGHTS_MAX);
}

static bool read_rate(void *place, const struct config_key *key, const char *text)
{
    static const struct unit {
        const char *name;
        double factor;
    } units[] = {{"", 1}, {"pps", 1}, {"kpps", 1e3}, {"Mpps", 1e6}};
    struct rate *rate = place;
    char *end = NULL;
    if (strcmp(text, "max") == 0) {
        *rate = (struct rate){RATE_MAX, 0};
        return true;
    }
    double value = strtod(text, &end);
    if (end == text || !isfinite(value) || value <= 0)
        return false;
    if (strcmp(end, "%") == 0) {
        *rate = (struct rate){RATE_PERCENT, value};
        return value <= 100;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(end, units[i].name) != 0)
            continue;
        *rate = (struct rate){RATE_PPS, value * units[i].factor};
        return rate->value >= key->min && rate->value <= key->max;
    }
    return false;
}

static void allow_rate(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes,
             "max, packets a second such as 1000000, 250kpps or 14.88Mpps (up to 1e9), or percent "
             "of the link such as 50%%");
}

static bool read_dscps(void *place, const struct config_key *key, const char *text)
{
    struct dscps *dscps = place;
    dscps->count = 0;
    for (;;) {
        uint64_t value = 0;
        text = parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, ",", &value);
        if (text == NULL || dscps->count == DSCPS_MAX)
            return false;
        dscps->value[dscps->count++] = (uint8_t)value;
        if (*text == '\0')
            return true;
        text++;
    }
}

static void allow_dscps(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "up to %d numbers from 0 to 63, such as 0,10,46", DSCPS_MAX);
}

static bool read_path(void *place, const struct config_key *key, const char *text)
{
    (void)key;
    return (size_t)snprintf(place, PATH_MAX, "%s", text) < PATH_MAX;
}

static void allow_path(const struct config_key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "a file's path");
}

const struct config_type type_u32 = {read_u32, allow_whole};
const struct config_type type_u64 = {read_u64, allow_whole};
const struct config_type type_number = {read_number, allow_number};
const struct config_type type_bool = {read_bool, allow_bool};
const struct config_type type_choice = {read_choice, allow_choice};
const struct config_type type_ipv4 = {read_ipv4, allow_ipv4};
const struct config_type type_mac = {read_mac, allow_mac};
const struct config_type type_cpus = {read_cpus, allow_cpus};
const struct config_type type_port = {read_port, allow_port};
const struct config_type type_sizes = {read_sizes, allow_sizes};
const struct config_type type_rate = {read_rate, allow_rate};
const struct config_type type_dscps = {read_dscps, allow_dscps};
const struct config_type type_path = {read_path, allow_path};
