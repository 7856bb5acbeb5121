/* SPDX-License-Identifier: Apache-2.0 */
#include "inline_functions.h"

#include "../crc_hash.h"
#include "../flow_table.h"
#include "../headers.h"
#include "../partition.h"
#include "../ring.h"
#include "../sockets.h"
#include "../stages/actions.h"
#include "../trial.h"

struct test_prefix test_partition(uint32_t count, uint32_t index)
{
    struct prefix prefix = partition_prefix(count, index);
    return (struct test_prefix){prefix.address, prefix.depth};
}

uint32_t test_partition_index(uint32_t count, uint32_t address)
{
    return partition_index(count, address);
}

uint64_t test_flow_key_of(uint32_t flow)
{
    return flow_key_of(flow);
}

uint32_t test_flow_id_of(uint64_t key)
{
    return (uint32_t)flow_id_of(key);
}

uint64_t test_flow_key_mask(void)
{
    return FLOW_KEY_MASK;
}

uint16_t test_checksum_fold(uint32_t sum)
{
    return checksum_fold(sum);
}

uint16_t test_checksum_after_hop(uint16_t checksum)
{
    return checksum_after_hop(checksum);
}

uint32_t test_flow_table_signature(uint32_t flow)
{
    return flow_table_signature(flow_key_of(flow));
}

uint32_t test_crc_hash(uint64_t key)
{
    return crc_hash(key);
}

struct test_ring {
    struct ring ring;
};

struct test_ring *test_ring_open(uint32_t size, struct rte_mempool *pool)
{
    static struct test_ring ring;
    return ring_open(&ring.ring, size, pool) ? &ring : NULL;
}

uint32_t test_ring_take(struct test_ring *ring, struct rte_mempool *pool, struct rte_mbuf **out,
                        uint8_t **frame, uint32_t count)
{
    return ring_take(&ring->ring, pool, out, frame, count);
}

void test_ring_give(struct test_ring *ring, struct rte_mempool *pool, struct rte_mbuf *const *in,
                    uint32_t count)
{
    ring_give(&ring->ring, pool, in, count);
}

void test_ring_close(struct test_ring *ring, struct rte_mempool *pool)
{
    ring_close(&ring->ring, pool);
}

struct test_flow_table {
    struct flow_table table;
};

struct test_flow_table *test_flow_table_open(uint32_t flows)
{
    static struct test_flow_table table;
    return flow_table_open(&table.table, flows, SOCKET_ID_ANY) ? &table : NULL;
}

bool test_flow_table_add(struct test_flow_table *table, uint32_t key, uint32_t signature,
                         int32_t flow)
{
    return flow_table_add(&table->table, key, signature, flow);
}

int32_t test_flow_table_find(struct test_flow_table *table, uint32_t key, uint32_t signature)
{
    return flow_table_find(&table->table, key, signature);
}

uint32_t test_flow_table_buckets(struct test_flow_table *table, uint32_t *going_on)
{
    uint32_t buckets = UINT32_C(1) << (32 - table->table.shift);
    *going_on = table->table.used - buckets;
    return buckets;
}

void test_flow_table_close(struct test_flow_table *table)
{
    flow_table_close(&table->table);
}

bool test_trial(const struct config *config, uint64_t packets, double seconds,
                struct test_counts *counts, char *error, uint32_t error_bytes)
{
    static struct dataplane dataplane;
    struct window windows[LCORES_MAX];
    dataplane = (struct dataplane){.config = *config};
    bool fine = dataplane_open(&dataplane, error, error_bytes);
    if (fine) {
        struct trial trial = trial_default(&dataplane);
        trial.packets = packets;
        trial.seconds = seconds;
        fine = trial_run(&dataplane, &trial, windows, false);
    }
    if (fine) {
        struct totals totals = dataplane_totals(&dataplane);
        counts->in = totals.packets_in;
        counts->out = totals.packets_out;
        memcpy(counts->drops, totals.drops, sizeof totals.drops);
        counts->conserved = totals_conserved(&totals);
        const struct instance *actions = dataplane_stage(&dataplane, "actions");
        if (actions != NULL)
            actions_count(actions->context, actions->chains, counts->metered);
    }
    dataplane_close(&dataplane);
    return fine;
}

static int sockets_of_host = 1;

/* In place of libnuma's: a host of several sockets. */
int numa_node_of_cpu(int cpu)
{
    return cpu % sockets_of_host;
}

bool test_open_on_sockets(const struct config *config, int sockets, struct test_sockets *found,
                          char *error, uint32_t error_bytes)
{
    static struct dataplane dataplane;
    sockets_of_host = sockets;
    dataplane = (struct dataplane){.config = *config};
    bool fine = dataplane_open(&dataplane, error, error_bytes);
    for (int i = 0; i < 2 && fine; i++)
        found->pool[i] = dataplane.lcore[i]->pool->socket_id;
    found->count = sockets_of(config);
    dataplane_close(&dataplane);
    sockets_of_host = 1;
    return fine;
}
