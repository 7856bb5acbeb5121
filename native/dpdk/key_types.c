/* SPDX-License-Identifier: Apache-2.0 */
#include "key_types.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "numbers.h"

static bool read_u64(void *place, const struct key *key, const char *text)
{
    return parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, "", place) != NULL;
}

static bool read_u32(void *place, const struct key *key, const char *text)
{
    uint64_t value = 0;
    if (!read_u64(&value, key, text))
        return false;
    *(uint32_t *)place = (uint32_t)value;
    return true;
}

static void allow_whole(const struct key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "a whole number from %.0f to %.0f", key->min, key->max);
}

static bool read_number(void *place, const struct key *key, const char *text)
{
    char *end = NULL;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= key->min && value <= key->max))
        return false;
    *(double *)place = value;
    return true;
}

static void allow_number(const struct key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "a number from %g to %g", key->min, key->max);
}

static bool read_bool(void *place, const struct key *key, const char *text)
{
    (void)key;
    bool on = strcmp(text, "on") == 0;
    if (!on && strcmp(text, "off") != 0)
        return false;
    *(bool *)place = on;
    return true;
}

static void allow_bool(const struct key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "on or off");
}

static bool read_choice(void *place, const struct key *key, const char *text)
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

/* "auto, 4KiB or 2MiB". */
static void allow_choice(const struct key *key, char *text, size_t text_bytes)
{
    size_t used = 0;
    const char *name = key->choices;
    for (const char *end = name; name != NULL && used < text_bytes; name = end) {
        int length = (int)strcspn(name, ",");
        end = name[length] == ',' ? name + length + 1 : NULL;
        const char *before = name == key->choices ? "" : end == NULL ? " or " : ", ";
        used += (size_t)snprintf(text + used, text_bytes - used, "%s%.*s", before, length, name);
    }
}

static bool read_ipv4(void *place, const struct key *key, const char *text)
{
    struct in_addr address;
    (void)key;
    if (inet_pton(AF_INET, text, &address) != 1)
        return false;
    *(uint32_t *)place = ntohl(address.s_addr);
    return true;
}

static void allow_ipv4(const struct key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes, "four numbers such as %s", key->initial);
}

static bool read_cpus(void *place, const struct key *key, const char *text)
{
    struct cpu_list *cpus = place;
    for (cpus->count = 0;; text++) {
        uint64_t first = 0, last = 0;
        text = parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, "-,", &first);
        last = first;
        if (text != NULL && *text == '-')
            text = parse_whole(text + 1, first, (uint64_t)key->max, ",", &last);
        if (text == NULL || last - first >= CPUS_MAX - cpus->count)
            return false;
        for (uint64_t cpu = first; cpu <= last; cpu++)
            cpus->cpu[cpus->count++] = (uint16_t)cpu;
        if (*text == '\0')
            return true;
    }
}

static void allow_cpus(const struct key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "a CPU list such as 1 or 0-3,8, of %d CPUs at most", CPUS_MAX);
}

static bool read_dscps(void *place, const struct key *key, const char *text)
{
    struct dscp_list *dscps = place;
    for (dscps->count = 0;; text++) {
        uint64_t value = 0;
        text = parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, ",", &value);
        if (text == NULL || dscps->count == DSCPS_MAX)
            return false;
        dscps->value[dscps->count++] = (uint8_t)value;
        if (*text == '\0')
            return true;
    }
}

static void allow_dscps(const struct key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "up to %d numbers from 0 to 63, such as 0,10,46", DSCPS_MAX);
}

const struct key_type type_u32 = {read_u32, allow_whole};
const struct key_type type_u64 = {read_u64, allow_whole};
const struct key_type type_number = {read_number, allow_number};
const struct key_type type_bool = {read_bool, allow_bool};
const struct key_type type_choice = {read_choice, allow_choice};
const struct key_type type_ipv4 = {read_ipv4, allow_ipv4};
const struct key_type type_cpus = {read_cpus, allow_cpus};
const struct key_type type_dscps = {read_dscps, allow_dscps};
