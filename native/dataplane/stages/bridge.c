/* SPDX-License-Identifier: Apache-2.0 */
#include "bridge.h"

#include <inttypes.h>
#include <rte_cycles.h>
#include <rte_malloc.h>

/* Twice as many slots as stations: with half of them free, one station in a hundred has to go to
 * its second bucket. */
static uint64_t bucket_count(const struct config *config)
{
    uint64_t buckets = rte_align64pow2(2 * (uint64_t)config->bridge_entries) / SLOTS;
    return RTE_MAX(buckets, (uint64_t)SWEEP_BUCKETS);
}

uint64_t bridge_bytes(const struct config *config)
{
    return bucket_count(config) * sizeof(struct bucket) +
           LCORES_MAX * PORTS_MAX * sizeof(struct bridge_counters);
}

struct bridge *bridge_open(const struct config *config, int socket)
{
    uint64_t count = bucket_count(config);
    uint64_t epoch_cycles = rte_get_tsc_hz() * config->ageing_s / AGES;
    uint64_t now = rte_rdtsc();
    struct bridge *bridge = rte_malloc_socket("bridge", sizeof *bridge, 0, socket);
    if (bridge == NULL)
        return NULL;
    *bridge = (struct bridge){
        .bucket_mask = count - 1,
        .epoch_cycles = epoch_cycles,
        .next_epoch = now + epoch_cycles,
        .tick_cycles = epoch_cycles / (count / SWEEP_BUCKETS),
        .capacity = config->bridge_entries,
    };
    bridge->next_tick = now + bridge->tick_cycles;
    rte_spinlock_init(&bridge->writer);
    bridge->buckets = rte_zmalloc_socket("bridge_buckets", count * sizeof(struct bucket),
                                         RTE_CACHE_LINE_SIZE, socket);
    bridge->counters = rte_zmalloc_socket("bridge_counters",
                                          LCORES_MAX * PORTS_MAX * sizeof(struct bridge_counters),
                                          RTE_CACHE_LINE_SIZE, socket);
    if (bridge->buckets != NULL && bridge->counters != NULL)
        return bridge;
    bridge_close(bridge);
    return NULL;
}

void bridge_close(struct bridge *bridge)
{
    rte_free(bridge->buckets);
    rte_free(bridge->counters);
    rte_free(bridge);
}

struct bridge_counters bridge_count(const struct bridge *bridge, uint32_t port)
{
    struct bridge_counters sum = {0};
    for (uint32_t lcore = 0; lcore < LCORES_MAX; lcore++) {
        const struct bridge_counters *one = &bridge->counters[lcore * PORTS_MAX + port];
        sum.learned += one->learned;
        sum.moved += one->moved;
        sum.aged += one->aged;
        sum.full += one->full;
        sum.unknown += one->unknown;
        sum.group += one->group;
    }
    return sum;
}

/* The other bucket that a station may be in. Of other bits of the same signature: two stations that
 * share the first bucket seldom share this. */
static struct bucket *second_bucket(const struct bridge *bridge, uint64_t address)
{
    uint64_t mixed = crc_hash(address) * UINT64_C(0x9E3779B97F4A7C15);
    return &bridge->buckets[mixed >> 32 & bridge->bucket_mask];
}

static uint64_t *slot_of(struct bucket *bucket, uint64_t address)
{
    uint32_t found = bucket_find(bucket, address | THERE, ADDRESS_MASK | THERE);
    return found == 0 ? NULL : &bucket->slot[__builtin_ctz(found)];
}

/* A place for a new station: a free one, or an aged one's. */
static uint64_t *room_in(struct bucket *bucket, uint64_t mark)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (bucket->slot[i] == 0 || bridge_aged(bucket->slot[i], mark))
            return &bucket->slot[i];
    }
    return NULL;
}

static uint32_t port_of(uint64_t word)
{
    return (uint32_t)(word >> PORT_SHIFT) & ((1U << PORT_BITS) - 1);
}

static void put(uint64_t *slot, uint64_t word)
{
    __atomic_store_n(slot, word, __ATOMIC_RELAXED);
}

uint64_t bridge_find(const struct bridge *bridge, uint64_t address, uint64_t mark)
{
    const uint64_t *slot = slot_of(bridge_bucket(bridge, address), address);
    if (slot == NULL)
        slot = slot_of(second_bucket(bridge, address), address);
    uint64_t word = slot == NULL ? 0 : __atomic_load_n(slot, __ATOMIC_RELAXED);
    /* Between the search and here another lcore may have put another station there. */
    return (word & ADDRESS_MASK) == address && !bridge_aged(word, mark) ? word : 0;
}

/* Of a station that is known: its stamp is old, or its port another one. */
static void see_again(uint64_t *slot, uint64_t word, struct bridge_counters *counters)
{
    uint64_t before = *slot;
    if (bridge_aged(before, word)) {
        counters[port_of(before)].aged++;
        counters[port_of(word)].learned++;
    } else if (port_of(before) != port_of(word)) {
        counters[port_of(word)].moved++;
    }
    put(slot, word);
}

static void learn_new(struct bridge *bridge, uint64_t word, struct bridge_counters *counters)
{
    uint64_t address = word & ADDRESS_MASK;
    uint64_t *slot = room_in(bridge_bucket(bridge, address), word);
    if (slot == NULL)
        slot = room_in(second_bucket(bridge, address), word);
    if (slot == NULL || (*slot == 0 && bridge->stations == bridge->capacity)) {
        counters[port_of(word)].full++;
        return;
    }
    if (*slot == 0)
        bridge->stations++;
    else
        counters[port_of(*slot)].aged++;
    counters[port_of(word)].learned++;
    put(slot, word);
}

/* Whoever finds another lcore writing continues without: another packet of the station will come.
 */
void bridge_learn(struct bridge *bridge, uint64_t word, uint32_t lcore)
{
    struct bridge_counters *counters = &bridge->counters[(size_t)lcore * PORTS_MAX];
    uint64_t address = word & ADDRESS_MASK;
    struct bucket *second = second_bucket(bridge, address);
    if (bucket_has(second, word) || !rte_spinlock_trylock(&bridge->writer))
        return;
    uint64_t *slot = slot_of(bridge_bucket(bridge, address), address);
    if (slot == NULL)
        slot = slot_of(second, address);
    if (slot != NULL)
        see_again(slot, word, counters);
    else
        learn_new(bridge, word, counters);
    rte_spinlock_unlock(&bridge->writer);
}

/* Time continues by stamps of 11 bits. It stands still when sweeps don't keep up with it (a burst
 * now and then, in a large table): a stamp that came round would look new. */
static void pass_time(struct bridge *bridge, uint64_t now_tsc)
{
    if (now_tsc < bridge->next_epoch)
        return;
    uint64_t passed = 1 + (now_tsc - bridge->next_epoch) / bridge->epoch_cycles;
    uint64_t latest = bridge->swept_epoch + STAMPS / 2;
    uint64_t epoch = RTE_MIN(bridge->epoch + passed, RTE_MAX(latest, bridge->epoch));
    bridge->next_epoch += passed * bridge->epoch_cycles;
    __atomic_store_n(&bridge->epoch, epoch, __ATOMIC_RELAXED);
}

static void sweep(struct bridge *bridge, struct bridge_counters *counters)
{
    uint64_t mark = bridge_mark(bridge, 0);
    struct bucket *first = &bridge->buckets[bridge->sweep_bucket];
    for (uint32_t i = 0; i < SWEEP_BUCKETS * SLOTS; i++) {
        uint64_t *slot = &first[i / SLOTS].slot[i % SLOTS];
        if (*slot == 0 || !bridge_aged(*slot, mark))
            continue;
        counters[port_of(*slot)].aged++;
        bridge->stations--;
        put(slot, 0);
    }
    bridge->sweep_bucket = (bridge->sweep_bucket + SWEEP_BUCKETS) & bridge->bucket_mask;
    if (bridge->sweep_bucket != 0)
        return;
    bridge->swept_epoch = bridge->sweep_epoch;
    bridge->sweep_epoch = bridge->epoch;
}

void bridge_step(struct bridge *bridge, uint64_t now_tsc, uint32_t lcore)
{
    if (!rte_spinlock_trylock(&bridge->writer))
        return;
    pass_time(bridge, now_tsc);
    sweep(bridge, &bridge->counters[(size_t)lcore * PORTS_MAX]);
    uint64_t next = bridge->next_tick + bridge->tick_cycles;
    if (next + bridge->epoch_cycles < now_tsc) /* behind by more than a sweep: one is enough */
        next = now_tsc - bridge->epoch_cycles;
    __atomic_store_n(&bridge->next_tick, next, __ATOMIC_RELAXED);
    rte_spinlock_unlock(&bridge->writer);
}
