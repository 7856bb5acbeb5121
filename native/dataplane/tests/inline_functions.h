/* SPDX-License-Identifier: Apache-2.0
 *
 * The data plane's inline functions as functions that C++ can call: their headers are C.
 */
#ifndef PLANECAST_TESTS_INLINE_FUNCTIONS_H
#define PLANECAST_TESTS_INLINE_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_mbuf;
struct rte_mempool;

/* partition.h */
struct test_prefix {
    uint32_t address;
    uint8_t depth;
};
struct test_prefix test_partition(uint32_t count, uint32_t index);
uint32_t test_partition_index(uint32_t count, uint32_t address);

/* headers.h, crc_hash.h */
uint64_t test_flow_key_of(uint32_t flow);
uint32_t test_flow_id_of(uint64_t key);
uint64_t test_flow_key_mask(void);
uint16_t test_checksum_fold(uint32_t sum);
uint16_t test_checksum_after_hop(uint16_t checksum);
uint32_t test_crc_hash(uint64_t key);

/* ring.h */
struct test_ring;
struct test_ring *test_ring_open(uint32_t size, struct rte_mempool *pool);
uint32_t test_ring_take(struct test_ring *ring, struct rte_mempool *pool, struct rte_mbuf **out,
                        uint8_t **frame, uint32_t count);
void test_ring_give(struct test_ring *ring, struct rte_mempool *pool, struct rte_mbuf *const *in,
                    uint32_t count);
void test_ring_close(struct test_ring *ring, struct rte_mempool *pool);

/* flow_table.h */
uint32_t test_flow_table_signature(uint32_t flow);
struct test_flow_table;
struct test_flow_table *test_flow_table_open(uint32_t flows);
bool test_flow_table_add(struct test_flow_table *table, uint32_t key, uint32_t signature,
                         int32_t flow);
int32_t test_flow_table_find(struct test_flow_table *table, uint32_t key, uint32_t signature);
/* Buckets that signatures name; those that others continue in. */
uint32_t test_flow_table_buckets(struct test_flow_table *table, uint32_t *going_on);
void test_flow_table_close(struct test_flow_table *table);

/* A data plane whose configuration is at its defaults but for what is set; its trial runs on
 * lcore 1. dataplane.h has C's atomics, which C++20 has not. */
struct config;
struct test_counts {
    uint64_t in, out, drops[32];
    uint64_t metered[3]; /* packets by colour, when the function has meters */
    bool conserved;
};
bool test_trial(const struct config *config, uint64_t packets, double seconds,
                struct test_counts *counts, char *error, uint32_t error_bytes);

/* sockets.h: on which sockets the pools of two lcores are, and how many sockets forward, when CPUs
 * are on so many sockets in turn; whether the data plane opened. */
struct test_sockets {
    int pool[2];
    uint32_t count;
};
bool test_open_on_sockets(const struct config *config, int sockets, struct test_sockets *found,
                          char *error, uint32_t error_bytes);

#ifdef __cplusplus
}
#endif
#endif
