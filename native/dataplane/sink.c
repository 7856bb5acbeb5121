/* SPDX-License-Identifier: Apache-2.0 */
#include "sink.h"

#include <rte_ethdev.h>

bool sink_open(struct sink *sink, const struct config *config, uint32_t lcore,
               struct rte_mempool *pool)
{
    sink->pool = pool;
    sink->own_buffers = !config_has_rx_port(config);
    for (uint32_t i = 0; i < config->tx.count; i++) {
        struct output *output = &sink->output[i];
        output->port = config->tx.port[i];
        output->queue = (uint16_t)lcore;
        sink->outputs = i + 1;
        if (output->port == PORT_INTERNAL && sink->own_buffers &&
            !ring_open(&output->ring, config->tx_ring, pool))
            return false;
    }
    return true;
}

void sink_close(struct sink *sink)
{
    for (uint32_t i = 0; i < sink->outputs; i++)
        ring_close(&sink->output[i].ring, sink->pool);
}

static __rte_always_inline void send_internal(struct sink *sink, struct output *output,
                                              struct rte_mbuf **packet, uint16_t count)
{
    ring_give(&output->ring, sink->pool, packet, count);
    sink->packets_out += count;
}

static void send_port(struct sink *sink, const struct output *output, struct burst *burst,
                      struct rte_mbuf **packet, uint16_t count)
{
    uint16_t sent = rte_eth_tx_burst((uint16_t)output->port, output->queue, packet, count);
    sink->packets_out += sent;
    if (likely(sent == count))
        return;
    burst->drop_count[DROP_TX] += (uint64_t)count - sent;
    rte_pktmbuf_free_bulk(&packet[sent], (unsigned)count - sent);
}

static __rte_always_inline void send_to(struct sink *sink, struct output *output,
                                        struct burst *burst, struct rte_mbuf **packet,
                                        uint16_t count)
{
    if (output->port != PORT_INTERNAL) {
        send_port(sink, output, burst, packet, count);
    } else if (sink->own_buffers) {
        send_internal(sink, output, packet, count);
    } else {
        rte_pktmbuf_free_bulk(packet, count);
        sink->packets_out += count;
    }
}

/* To every output but its own: a copy each, and the packet itself to the last one. Copies, for the
 * in-process output gives buffers back without a look at their count of users. */
static SLOW_PATH flood(struct sink *sink, struct burst *burst, struct rte_mbuf *packet)
{
    uint32_t last = sink->outputs;
    for (uint32_t out = 0; out < sink->outputs; out++) {
        if (out != burst->input)
            last = out;
    }
    if (last == sink->outputs) {
        burst->drop_count[DROP_FILTERED]++;
        rte_pktmbuf_free(packet);
        return;
    }
    for (uint32_t out = 0; out < last; out++) {
        if (out == burst->input)
            continue;
        struct rte_mbuf *copy = rte_pktmbuf_copy(packet, sink->pool, 0, UINT32_MAX);
        burst->copies++;
        if (copy != NULL)
            send_to(sink, &sink->output[out], burst, &copy, 1);
        else
            burst->drop_count[DROP_TX]++;
    }
    send_to(sink, &sink->output[last], burst, &packet, 1);
}

/* All to the same output: on a bridge of two ports, whatever is known. */
static inline bool goes_one_way(const struct burst *burst)
{
    uint8_t differs = burst->count == 0 || burst->out[0] == OUT_ALL;
    for (uint32_t i = 0; i < burst->count; i++)
        differs |= burst->out[i] ^ burst->out[0];
    return differs == 0;
}

/* Each output's packets together, in the order in which they came. */
static void send_chosen(struct sink *sink, struct burst *burst)
{
    if (goes_one_way(burst)) {
        send_to(sink, &sink->output[burst->out[0]], burst, burst->packet, burst->count);
        return;
    }
    struct rte_mbuf *list[PORTS_MAX][BURST_MAX];
    uint16_t count[PORTS_MAX] = {0};
    for (uint32_t i = 0; i < burst->count; i++) {
        uint8_t out = burst->out[i];
        if (unlikely(out == OUT_ALL))
            flood(sink, burst, burst->packet[i]);
        else
            list[out][count[out]++] = burst->packet[i];
    }
    for (uint32_t out = 0; out < sink->outputs; out++) {
        if (count[out] > 0)
            send_to(sink, &sink->output[out], burst, list[out], count[out]);
    }
}

void stage_tx(struct sink *sink, struct burst *burst)
{
    if (sink->chooses && sink->outputs > 1)
        send_chosen(sink, burst);
    else
        send_to(sink, &sink->output[burst->input], burst, burst->packet, burst->count);
}
