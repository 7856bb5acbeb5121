/* SPDX-License-Identifier: Apache-2.0 */
#include "ip4_routes.h"

#include <stdlib.h>

#include "pktgen_plain.h"
#include "pktgen_qinq.h"

enum { BASE_MAX = 256, MIXED_MIN = 9, MIXED_DEPTHS = DEPTH_MAX - MIXED_MIN + 1, BLOCKS = 64 };

/* Which prefixes are there: a hash of twice as many slots, or more. */
struct known {
    uint64_t *slot; /* 0: free; otherwise address and depth */
    uint32_t mask;
};

static bool known_open(struct known *known, uint32_t count)
{
    uint32_t slots = 4;
    while (slots < 2 * count)
        slots *= 2;
    known->mask = slots - 1;
    known->slot = calloc(slots, sizeof *known->slot);
    return known->slot != NULL;
}

/* False when it was there. */
static bool known_add(struct known *known, struct prefix prefix)
{
    uint64_t key = (uint64_t)prefix.address << 8 | prefix.depth;
    uint32_t hash = prefix.address + prefix.depth;
    hash = MIX(hash, MIX_A, MIX_B);
    for (uint32_t i = hash & known->mask;; i = (i + 1) & known->mask) {
        if (known->slot[i] == key)
            return false;
        if (known->slot[i] == 0) {
            known->slot[i] = key;
            return true;
        }
    }
}

static struct prefix prefix_around(uint32_t address, uint32_t depth)
{
    return (struct prefix){address & (uint32_t)(UINT64_MAX << (32 - depth)), (uint8_t)depth};
}

struct list {
    struct prefix *route;
    uint32_t count;
    struct known known;
};

static bool list_add(struct list *list, struct prefix prefix)
{
    if (!known_add(&list->known, prefix))
        return false;
    list->route[list->count++] = prefix;
    return true;
}

static void add_random(struct list *list, uint32_t count, uint32_t depth)
{
    for (uint32_t number = 1; list->count < count; number++) {
        uint32_t address = number;
        address = MIX(address, MIX_A, MIX_B);
        if (depth != DEPTH_MIXED) {
            list_add(list, prefix_around(address, depth));
            continue;
        }
        if (is_plain_destination(address))
            address ^= 1U << 31;
        list_add(list, prefix_around(address, MIXED_MIN + number % MIXED_DEPTHS));
    }
}

static void add_of_depth(struct list *list, const struct config *config)
{
    for (uint32_t flow = 0; flow < config->flows && list->count < config->routes; flow++) {
        uint32_t address = plain_destination(flow, config->destination_step);
        list_add(list, prefix_around(address, config->route_depth));
    }
}

static void add_mixed(struct list *list, const struct config *config)
{
    uint32_t base = RTE_MAX(2U, RTE_MIN(config->routes / 2, (uint32_t)BASE_MAX));
    uint32_t others = config->routes - base;
    for (uint32_t i = 0; i < base; i++)
        list_add(list, partition_prefix(base, i));
    for (uint32_t i = 0; i < others; i++) {
        uint32_t flow = (uint32_t)((uint64_t)i * config->flows / others);
        uint32_t block = (uint32_t)((uint64_t)flow * BLOCKS / config->flows);
        uint32_t address = plain_destination(flow, config->destination_step);
        list_add(list, prefix_around(address, MIXED_MIN + block % MIXED_DEPTHS));
    }
}

struct prefix *ip4_routes(const struct config *config)
{
    struct list list = {.route = calloc(config->routes, sizeof *list.route)};
    if (list.route != NULL && known_open(&list.known, config->routes)) {
        if (config->route_depth == DEPTH_MIXED)
            add_mixed(&list, config);
        else
            add_of_depth(&list, config);
        add_random(&list, config->routes, config->route_depth);
        free(list.known.slot);
        return list.route;
    }
    free(list.route);
    return NULL;
}

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

uint32_t ip4_groups(const struct prefix *routes, uint32_t count)
{
    uint32_t *group = calloc(count, sizeof *group);
    if (group == NULL)
        return count; /* never more */
    uint32_t longer = 0, different = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (routes[i].depth > 24)
            group[longer++] = routes[i].address >> 8;
    }
    qsort(group, longer, sizeof *group, by_value);
    for (uint32_t i = 0; i < longer; i++)
        different += i == 0 || group[i] != group[i - 1];
    free(group);
    return different;
}
