/* SPDX-License-Identifier: Apache-2.0
 *
 * What has to hold between keys that are fine each alone.
 */
#include <stdarg.h>

#include "config.h"

static bool conflicts(struct config_conflict *conflict, int stream, const char *section,
                      const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(conflict->sentence, sizeof conflict->sentence, format, arguments);
    va_end(arguments);
    conflict->section = section;
    conflict->key = key;
    conflict->stream = stream;
    return false;
}

static bool check_stream(const struct config *config, int number, struct config_conflict *conflict)
{
    const struct stream_config *stream = &config->stream[number];
    if (stream->direction == REVERSE && (config->tx.number == PORT_NONE ||
                                         config->rx.number == PORT_NONE || config_one_port(config)))
        return conflicts(conflict, number, "stream", "direction",
                         "'reverse' needs two ports: ports.tx and ports.rx, not the same one");
    if (stream->arrivals == ARRIVALS_PCAP && stream->pcap[0] == '\0')
        return conflicts(conflict, number, "stream", "arrivals",
                         "'pcap' needs a file; name it by the key pcap");
    if (stream->packets > 0 && config->warm_up_ms > 0)
        return conflicts(conflict, number, "stream", "packets",
                         "a run with a warm-up lasts for a time: leave packets or warm_up_ms at 0");
    if (stream->rate.kind != RATE_MAX)
        return true;
    if (stream->arrivals == ARRIVALS_POISSON)
        return conflicts(conflict, number, "stream", "rate",
                         "'max' has no arrivals in time; arrivals = poisson takes a rate");
    if (stream->arrivals == ARRIVALS_BURST && stream->burst_us == 0)
        return conflicts(conflict, number, "stream", "rate",
                         "'max' says nothing of the time between bursts; set a rate or burst_us");
    return true;
}

/* A memory interface of our own takes no buffers from the pool, but a power of two of slots. */
static bool check_rings(const struct config *config, struct config_conflict *conflict)
{
    const bool memif[2] = {config->tx.number == PORT_MEMIF, config->rx.number == PORT_MEMIF};
    const uint32_t ring[2] = {config->tx_ring, config->rx_ring};
    for (int i = 0; i < 2; i++) {
        if (memif[i] && (ring[i] & (ring[i] - 1)) != 0)
            return conflicts(conflict, -1, "pool", i == 0 ? "tx_ring" : "rx_ring",
                             "%u is no power of two, which a memory interface has", ring[i]);
    }
    uint32_t held =
        (memif[0] ? 0 : config->tx_ring) + (memif[1] ? 0 : config->rx_queues * config->rx_ring);
    uint32_t least = 2 * (held + BATCH_MAX);
    if (config->mbufs >= least)
        return true;
    return conflicts(conflict, -1, "pool", "mbufs",
                     "%u are too few for rx_ring %u and tx_ring %u; it takes %u or more",
                     config->mbufs, config->rx_ring, config->tx_ring, least);
}

bool config_check(const struct config *config, struct config_conflict *conflict)
{
    if (config->tx.number == PORT_NONE && config->rx.number == PORT_NONE)
        return conflicts(conflict, -1, "ports", "tx",
                         "'none', and rx too: there is nothing to do; name a DPDK port");
    if (config->lcores.count == 2 && config->lcores.cpu[0] == config->lcores.cpu[1])
        return conflicts(conflict, -1, "machine", "lcores",
                         "CPU %u is named twice; name it once for sending and receiving in turn",
                         config->lcores.cpu[0]);
    if (!check_rings(config, conflict))
        return false;
    for (uint32_t i = 0; i < config->stream_count; i++) {
        if (!check_stream(config, (int)i, conflict))
            return false;
    }
    return true;
}
