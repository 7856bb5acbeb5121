/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator's own latency: the same loops over a ring, with no port and no device under test.
 * What is measured of a real one has this in it.
 */
#include <rte_eth_ring.h>
#include <rte_ethdev.h>

#include "generator.h"
#include "ports.h"

enum { RING_ENTRIES = 1024 };
#define CHECK_PPS     1e5
#define CHECK_PACKETS 2000

/* Of the file's configuration, but one stream of the smallest frames at a low rate. */
static void ask(struct generator *generator, uint16_t port)
{
    struct config *asked = &generator->asked;
    char nothing[128];
    *asked = generator->config;
    asked->stream_count = 0;
    struct stream_config *stream = config_add_stream(asked, "loop", nothing, sizeof nothing);
    stream->rate = (struct rate){RATE_PPS, CHECK_PPS};
    stream->packets = CHECK_PACKETS;
    asked->tx = asked->rx = (struct port_choice){.number = port};
    asked->rx_queues = 1;
    asked->warm_up_ms = 0;
    asked->drain_ms = 1;
    asked->catch_up_us = 1e6;
}

static void keep(struct generator *generator)
{
    const struct histogram *latency = &generator->stream[0].rx->latency;
    generator->loop = (struct loop_check){
        .done = latency->count > 0,
        .packets = latency->count,
        .min_ns = latency->min,
        .p50_ns = histogram_percentile(latency, 50),
        .p99_ns = histogram_percentile(latency, 99),
        .max_ns = latency->max,
    };
}

bool loop_check_run(struct generator *generator, char *error, size_t error_bytes)
{
    struct rte_ring *ring =
        rte_ring_create("loop", RING_ENTRIES, (int)rte_socket_id(), RING_F_SP_ENQ | RING_F_SC_DEQ);
    int port = ring == NULL ? -1 : rte_eth_from_ring(ring);
    bool fine = port >= 0;
    if (!fine)
        snprintf(error, error_bytes,
                 "no ring for the loop check (run.loop_check = off leaves it "
                 "out)");
    if (fine) {
        ask(generator, (uint16_t)port);
        fine = ports_open(&generator->ports, &generator->asked, generator->rx_pool, error,
                          error_bytes) &&
               generator_start(generator, 0, error, error_bytes);
        if (fine) {
            generator_wait(generator);
            keep(generator);
        }
        ports_close(&generator->ports);
    }
    rte_ring_free(ring);
    generator->begun = false;
    return fine;
}
