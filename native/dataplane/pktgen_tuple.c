/* SPDX-License-Identifier: Apache-2.0 */
#include "pktgen_tuple.h"

void pktgen_tuple_set(struct pktgen_frame *pktgen, const struct packet_profile *profile)
{
    pktgen_frame_set(pktgen, profile);
    pktgen->header[2] = 1;
}

static inline void make_one(const struct pktgen_frame *pktgen, uint32_t number,
                            struct rte_mbuf *mbuf)
{
    uint32_t flow = pktgen_flow(pktgen, MIX(number, MIX_A, MIX_B));
    struct tuple tuple = tuple_of(flow, pktgen->destination_step);
    pktgen_write(pktgen, mbuf, big32(tuple.source), big32(tuple.destination), tuple.ports);
}

void make_tuples(const struct pktgen_frame *pktgen, uint32_t sequence,
                 struct rte_mbuf *const *mbufs, uint32_t count)
{
    const struct pktgen_frame here = *pktgen; /* no store below can change it */
    for (uint32_t i = 0; i < count; i++)
        make_one(&here, sequence + i, mbufs[i]);
}
