/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests that are about ports of DPDK (source.h).
 */
#include <inttypes.h>
#include <string.h>

#include "dpdk.h"
#include "hook.h"
#include "lanes.h"
#include "polls.h"
#include "source.h"
#include "words.h"

static void attach(const char *line, FILE *out)
{
    char error[96] = "";
    enum side side = strstr(line, " side=tx") != NULL ? SIDE_TX : SIDE_RX;
    uint16_t port = (uint16_t)word_number(line, "port", 0);
    uint16_t leaving = (uint16_t)word_number(line, "out", port);
    enum readiness found = hook_attach(port, leaving, side, error, sizeof error);
    if (found != READY) {
        fprintf(out, "{\"%s\": \"%s\"}\n", found == NEVER ? "error" : "waiting", error);
        return;
    }
    lanes_idle();
    fprintf(out, "{\"attached\": {\"tsc_hz\": %" PRIu64 ", \"dpdk\": \"%s\"}}\n",
            DPDK(rte_get_tsc_hz)(), dpdk_version());
}

static void stats(const char *line, FILE *out)
{
    struct rte_eth_stats s;
    uint16_t port = (uint16_t)word_number(line, "port", 0);
    if (!dpdk_known() || !dpdk_stats(port, &s)) {
        fprintf(out, "{\"error\": \"port %u has no statistics\"}\n", port);
        return;
    }
    fprintf(out,
            "{\"rx_packets\": %" PRIu64 ", \"tx_packets\": %" PRIu64 ", \"rx_missed\": %" PRIu64
            ", \"rx_errors\": %" PRIu64 ", \"tx_errors\": %" PRIu64 ", \"rx_no_buffer\": %" PRIu64
            "}\n",
            s.ipackets, s.opackets, s.imissed, s.ierrors, s.oerrors, s.rx_nombuf);
}

static void watch(const char *line, FILE *out)
{
    char error[96] = "";
    uint16_t port = (uint16_t)word_number(line, "port", 0);
    uint16_t out_port = (uint16_t)word_number(line, "out", port);
    if (polls_watch(port, out_port, error, sizeof error))
        fputs("{\"done\": true}\n", out);
    else
        fprintf(out, "{\"error\": \"%s\"}\n", error);
}

static void unwatch(FILE *out)
{
    struct polls found;
    if (polls_end(&found))
        fprintf(out,
                "{\"packets\": %" PRIu64 ", \"polls\": %" PRIu64 ", \"empty_polls\": %" PRIu64
                ", \"busy_cycles\": %" PRIu64 ", \"empty_cycles\": %" PRIu64
                ", \"rx_cycles\": %" PRIu64 ", \"tx_cycles\": %" PRIu64 ", \"away_polls\": %" PRIu64
                "}\n",
                found.packets, found.found, found.empty, found.busy_cycles, found.empty_cycles,
                found.rx_cycles, found.tx_cycles, found.away);
    else
        fputs("{\"error\": \"no port is watched\"}\n", out);
}

bool source_answer(const char *line, FILE *out)
{
    if (strncmp(line, "attach", 6) == 0)
        attach(line, out);
    else if (strncmp(line, "stats", 5) == 0)
        stats(line, out);
    else if (strncmp(line, "watch", 5) == 0)
        watch(line, out);
    else if (strcmp(line, "unwatch") == 0)
        unwatch(out);
    else
        return false;
    return true;
}
