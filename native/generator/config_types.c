/* SPDX-License-Identifier: Apache-2.0 */
#include "config_types.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "numbers.h"

static bool read_mac(void *place, const struct key *key, const char *text)
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

static void allow_mac(const struct key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "six bytes such as 02:00:00:00:00:01");
}

/* One CPU for both, or one for sending and one for receiving. */
static bool read_cpu_pair(void *place, const struct key *key, const char *text)
{
    const struct cpu_list *cpus = place;
    return type_cpus.read(place, key, text) && cpus->count <= 2;
}

static void allow_cpu_pair(const struct key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes,
             "a CPU for both, such as 1, or one for sending and one for "
             "receiving, such as 1,2");
}

static bool read_port(void *place, const struct key *key, const char *text)
{
    static const char memif[] = "memif:";
    struct port_choice *choice = place;
    uint64_t number = 0;
    *choice = (struct port_choice){.number = PORT_NONE};
    if (strcmp(text, "none") == 0)
        return true;
    if (strncmp(text, memif, strlen(memif)) == 0) {
        text += strlen(memif);
        choice->number = PORT_MEMIF;
        int bytes = snprintf(choice->socket, SOCKET_BYTES, "%s", text);
        return bytes > 0 && bytes < SOCKET_BYTES;
    }
    if (parse_whole(text, (uint64_t)key->min, (uint64_t)key->max, "", &number) == NULL)
        return false;
    choice->number = (int32_t)number;
    return true;
}

static void allow_port(const struct key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes,
             "a DPDK port from %.0f to %.0f, memif:SOCKET (a server's, of up to %d bytes), or none",
             key->min, key->max, SOCKET_BYTES - 1);
}

static bool read_sizes(void *place, const struct key *key, const char *text)
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

static void allow_sizes(const struct key *key, char *text, size_t text_bytes)
{
    snprintf(text, text_bytes,
             "a size from %.0f to %.0f, up to %d of them with weights such as 64:7,594:4,1518:1 "
             "(weights sum up to %d or less), or imix, which is that",
             key->min, key->max, SIZES_MAX, WEIGHTS_MAX);
}

static bool read_rate(void *place, const struct key *key, const char *text)
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

static void allow_rate(const struct key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes,
             "max, packets a second such as 1000000, 250kpps or 14.88Mpps (up to 1e9), or percent "
             "of the link such as 50%%");
}

static bool read_path(void *place, const struct key *key, const char *text)
{
    (void)key;
    return (size_t)snprintf(place, PATH_MAX, "%s", text) < PATH_MAX;
}

static void allow_path(const struct key *key, char *text, size_t text_bytes)
{
    (void)key;
    snprintf(text, text_bytes, "a file's path");
}

const struct key_type type_mac = {read_mac, allow_mac};
const struct key_type type_cpu_pair = {read_cpu_pair, allow_cpu_pair};
const struct key_type type_port = {read_port, allow_port};
const struct key_type type_sizes = {read_sizes, allow_sizes};
const struct key_type type_rate = {read_rate, allow_rate};
const struct key_type type_path = {read_path, allow_path};
