/* SPDX-License-Identifier: Apache-2.0
 *
 * A trial's request, "windows=64 packets=2048 burst=16 …", as a controlling program writes it.
 */
#include <stdio.h>
#include <string.h>

#include "headers.h"
#include "lcore_map.h"
#include "numbers.h"
#include "trial.h"

struct request_key {
    const char *name;
    size_t offset;
    size_t bytes; /* of the number */
    uint64_t min, max;
};

#define KEY(name, field, min, max)                                                                 \
    {                                                                                              \
        name, offsetof(struct trial, field), sizeof(((struct trial *)0)->field), min, max          \
    }

static const struct request_key request_keys[] = {
    KEY("windows", windows, 1, WINDOWS_MAX),
    KEY("packets", packets, 1, PACKETS_MAX),
    KEY("warmup", warmup, 0, PACKETS_MAX),
    KEY("block", block, 0, PACKETS_MAX),
    KEY("burst", burst, 1, BURST_MAX),
    KEY("stage_clock", stage_clock, 0, 1U << 20),
    KEY("frame_bytes", traffic.frame_bytes, 64, 9000),
    KEY("flows", traffic.flows, 1, 1U << FLOW_ID_BITS),
    KEY("lcores", traffic.lcores, 1, LCORES_MAX),
    KEY("canary", canary, 0, 1),
};
enum { REQUEST_KEYS = sizeof request_keys / sizeof *request_keys };

static void put_number(struct trial *trial, const struct request_key *key, uint64_t value)
{
    memcpy((char *)trial + key->offset, &value, key->bytes); /* little-endian, as x86 is */
}

static bool set_key(const struct function *function, struct trial *trial, const char *name,
                    const char *text, char *error, size_t error_bytes)
{
    if (strcmp(name, "stages") == 0)
        return pipeline_parse(function, text, &trial->pipeline, error, error_bytes);
    if (strcmp(name, "seconds") == 0 || strcmp(name, "settle") == 0) {
        if (parse_seconds(text, name[2] == 'c' ? &trial->seconds : &trial->settle))
            return true;
        snprintf(error, error_bytes, "%s: '%s' is not a number above 0 and up to %d", name, text,
                 SECONDS_MAX);
        return false;
    }
    for (size_t i = 0; i < REQUEST_KEYS; i++) {
        const struct request_key *key = &request_keys[i];
        if (strcmp(key->name, name) != 0)
            continue;
        uint64_t value = 0;
        if (parse_whole(text, key->min, key->max, "", &value) != NULL) {
            put_number(trial, key, value);
            return true;
        }
        snprintf(error, error_bytes, "%s: '%s' is not a whole number from %llu to %llu", name, text,
                 (unsigned long long)key->min, (unsigned long long)key->max);
        return false;
    }
    snprintf(error, error_bytes, "a trial has no key '%s'", name);
    return false;
}

static bool check(const struct dataplane *dataplane, const struct trial *trial, char *error,
                  size_t error_bytes)
{
    const struct config *config = &dataplane->config;
    if (trial->packets == 0 && trial->seconds == 0) {
        snprintf(error, error_bytes, "packets: missing; a trial takes packets=, seconds= or both");
        return false;
    }
    if (trial->traffic.lcores > config->lcores.count) {
        snprintf(error, error_bytes, "lcores: %u, but the configuration has %u",
                 trial->traffic.lcores, config->lcores.count);
        return false;
    }
    if (trial->traffic.lcores % segments_of(config) != 0) {
        snprintf(error, error_bytes, "lcores: %u, but the pipeline is cut into %u segments",
                 trial->traffic.lcores, segments_of(config));
        return false;
    }
    if (trial->traffic.frame_bytes > RTE_MAX(config->frame_bytes, 2048U)) {
        snprintf(error, error_bytes,
                 "frame_bytes: %u are more than the buffers hold; configure them",
                 trial->traffic.frame_bytes);
        return false;
    }
    if (trial->traffic.flows > config->flows && !config_has_rx_port(config)) {
        snprintf(error, error_bytes, "flows: %u are active, but the tables have %u",
                 trial->traffic.flows, config->flows);
        return false;
    }
    return config_check_stages(config, &trial->pipeline, error, error_bytes);
}

bool trial_parse(const struct dataplane *dataplane, const char *text, struct trial *trial,
                 char *error, size_t error_bytes)
{
    char copy[1024];
    char *rest = NULL;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " \t\r\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        char *equals = strchr(word, '=');
        if (equals == NULL) {
            snprintf(error, error_bytes, "'%s' is not key=value", word);
            return false;
        }
        *equals = '\0';
        if (!set_key(config_function(&dataplane->config), trial, word, equals + 1, error,
                     error_bytes))
            return false;
    }
    return check(dataplane, trial, error, error_bytes);
}
