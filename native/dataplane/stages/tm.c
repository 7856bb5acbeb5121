/* SPDX-License-Identifier: Apache-2.0
 *
 * Traffic manager: rte_sched's hierarchy of one subport with 4,096 pipes (customers) of 16 queues
 * before an output, then whatever its rates let out.
 *
 * The source address says where a packet queues: bits 27 to 16 are the pipe, 3 and 2 the class, 1
 * and 0 the queue of that class, as DPDK's edge router had it with 4 classes of 4 queues. The
 * library has 12 strict classes of one queue and a last one of 4 by now, so class c, queue q is its
 * queue 4c + q: each queue is still one of its own, and a class still goes before the next. What
 * was a round robin within the first three classes is strict priority now.
 *
 * A scheduler belongs to one lcore and one output: rte_sched takes no locks. It holds packets back,
 * so bursts leave in another order, at another time and in another number than they came.
 */
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_sched.h>

#include "../config.h"
#include "../placement.h"
#include "../tuple_maker.h"
#include "downstream.h"
#include "stages.h"
#include "tm.h"

enum {
    PIPES = 1 << PIPE_BITS,
    CLASSES_TM = RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE,
    TOKENS_BYTES = 1000000,
    SUBPORT_PERIOD_MS = 10,
};

/* The schedulers of one lcore; its own line, for others read `held`. */
struct tm_lane {
    struct rte_sched_port *port[PORTS_MAX]; /* by input; NULL: another lcore's */
    uint64_t held;
    uint8_t next; /* input whose scheduler is flushed next */
} __rte_cache_aligned;

static struct tm_tables {
    struct tm_lane lane[LCORES_MAX];
    uint32_t mtu; /* longest frame, without FCS */
    uint8_t colour_of_tos[256];
} tm_tables;

uint32_t tm_mtu(const struct config *config)
{
    return RTE_MAX((uint32_t)TM_MTU_BYTES, config->frame_bytes - FCS_BYTES + QINQ_BYTES);
}

static struct rte_sched_port *open_port(const struct config *config)
{
    struct rte_sched_subport_profile_params subport = {
        .tb_rate = config->tm_rate, .tb_size = TOKENS_BYTES, .tc_period = SUBPORT_PERIOD_MS};
    for (int i = 0; i < CLASSES_TM; i++)
        subport.tc_rate[i] = config->tm_rate;
    struct rte_sched_port_params params = {
        .name = "tm",
        .socket = (int)rte_socket_id(),
        .rate = config->tm_rate,
        .mtu = tm_mtu(config),
        .frame_overhead = TM_OVERHEAD_BYTES,
        .n_subports_per_port = 1,
        .subport_profiles = &subport,
        .n_subport_profiles = 1,
        .n_max_subport_profiles = 1,
        .n_pipes_per_subport = PIPES,
    };
    return rte_sched_port_config(&params);
}

/* RED as DPDK's edge router had it: minima by colour, one maximum, a queue's length averaged over
 * 2^9 packets, one in ten dropped at the most. */
static void fill_red(struct rte_sched_cman_params *params)
{
    static const uint16_t minimum[RTE_COLORS] = {48, 40, 32};
    params->cman_mode = RTE_SCHED_CMAN_RED;
    for (int class = 0; class < CLASSES_TM; class ++) {
        for (int colour = 0; colour < RTE_COLORS; colour++)
            params->red_params[class][colour] = (struct rte_red_params){.min_th = minimum[colour],
                                                                        .max_th = TM_QUEUE_PACKETS,
                                                                        .maxp_inv = 10,
                                                                        .wq_log2 = 9};
    }
}

static bool fill_port(struct rte_sched_port *port, const struct config *config)
{
    struct rte_sched_pipe_params pipe = {.tb_rate = config->tm_pipe_rate,
                                         .tb_size = TOKENS_BYTES,
                                         .tc_period = TM_PIPE_PERIOD_MS,
                                         .tc_ov_weight = 1,
                                         .wrr_weights = {1, 1, 1, 1}};
    struct rte_sched_cman_params red = {0};
    struct rte_sched_subport_params subport = {
        .n_pipes_per_subport_enabled = PIPES,
        .pipe_profiles = &pipe,
        .n_pipe_profiles = 1,
        .n_max_pipe_profiles = 1,
        .cman_params = config->tm_red ? &red : NULL,
    };
    fill_red(&red);
    for (int i = 0; i < CLASSES_TM; i++) {
        pipe.tc_rate[i] = config->tm_pipe_rate;
        subport.qsize[i] = TM_QUEUE_PACKETS;
    }
    if (rte_sched_subport_config(port, 0, &subport, 0) != 0)
        return false;
    for (uint32_t i = 0; i < PIPES; i++) {
        if (rte_sched_pipe_config(port, 0, i, 0) != 0)
            return false;
    }
    return true;
}

/* Whether packets of this input come by this lcore. */
static bool passes(const struct config *config, uint32_t lcore, uint32_t input)
{
    uint32_t segments = segments_of(config), chain = lcore / segments;
    return lcore % segments == segment_of(config, STAGE_TM) &&
           (config->rx_by_queue || input % chains_of(config) == chain);
}

/* A packet's colour is its code point's drop precedence (RFC 2597), green for all others: what the
 * upstream half takes for a colour. */
static void fill_colours(void)
{
    for (int tos = 0; tos < 256; tos++) {
        int dscp = tos >> 2;
        int precedence = dscp >> 1 & 3;
        bool assured = dscp >= 10 && dscp <= 38 && (dscp & 1) == 0 && precedence != 0;
        tm_tables.colour_of_tos[tos] = (uint8_t)(assured ? precedence - 1 : RTE_COLOR_GREEN);
    }
}

void *tm_create(const struct config *config, char *error, size_t error_bytes)
{
    tm_tables.mtu = tm_mtu(config);
    fill_colours();
    for (uint32_t lcore = 0; lcore < config->lcores.count; lcore++) {
        for (uint32_t input = 0; input < config->rx.count; input++) {
            if (!passes(config, lcore, input))
                continue;
            struct rte_sched_port *port = open_port(config);
            tm_tables.lane[lcore].port[input] = port;
            if (port != NULL && fill_port(port, config))
                continue;
            snprintf(error, error_bytes,
                     "the scheduler of lcore %u is refused, or there is no memory for it: tm_rate "
                     "%" PRIu64 ", tm_pipe_rate %" PRIu64,
                     lcore, config->tm_rate, config->tm_pipe_rate);
            tm_destroy(&tm_tables);
            return NULL;
        }
    }
    return &tm_tables;
}

void tm_destroy(void *opaque)
{
    (void)opaque;
    for (int lcore = 0; lcore < LCORES_MAX; lcore++) {
        for (int input = 0; input < PORTS_MAX; input++) {
            if (tm_tables.lane[lcore].port[input] != NULL)
                /* And what it holds; but of a queue that is exactly full it forgets the packets.
                 * Their pool goes right after. */
                rte_sched_port_free(tm_tables.lane[lcore].port[input]);
        }
    }
    tm_tables = (struct tm_tables){0};
}

uint64_t tm_held(const void *opaque)
{
    uint64_t held = 0;
    (void)opaque;
    for (int lcore = 0; lcore < LCORES_MAX; lcore++)
        held += __atomic_load_n(&tm_tables.lane[lcore].held, __ATOMIC_RELAXED);
    return held;
}

/* Fills the burst with up to `most` packets that may go now; the columns that tell of packets are
 * those of what comes out. */
static void take_out(struct tm_lane *lane, uint8_t input, struct burst *burst, uint32_t most)
{
    int count = rte_sched_port_dequeue(lane->port[input], burst->packet, RTE_MIN(most, BURST_MAX));
    burst->count = (uint16_t)count;
    for (int i = 0; i < count; i++)
        burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
    __atomic_store_n(&lane->held, lane->held - (uint64_t)count, __ATOMIC_RELAXED);
}

void tm_flush(void *opaque, struct burst *burst)
{
    struct tm_lane *lane = &tm_tables.lane[burst->lcore];
    (void)opaque;
    for (int i = 0; i < PORTS_MAX && burst->count == 0 && lane->held > 0; i++) {
        uint8_t input = lane->next;
        lane->next = (uint8_t)((input + 1) % PORTS_MAX);
        if (lane->port[input] == NULL)
            continue;
        burst->input = input; /* for the sink: it goes to that one's partner */
        take_out(lane, input, burst, BURST_MAX);
    }
}

static SLOW_PATH drop_long(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = burst->packet[i]->pkt_len > tm_tables.mtu ? DROP_OVERSIZE : DROP_NONE;
    burst_drop(burst, verdict);
}

/* Where each packet queues, for rte_sched_port_enqueue: it reads it from the mbuf. */
static void choose_queues(struct burst *burst)
{
    const uint32_t ip = (burst->stages & 1U << STAGE_QINQ) != 0 ? DOWN_IP_OUT : DOWN_IP_IN;
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *header = burst->frame[i] + ip;
        uint32_t source = big32(load32(header + 12));
        uint32_t queue = source & ((1U << QUEUE_BITS) - 1);
        uint32_t pipe = source >> 16 & (PIPES - 1);
        rte_mbuf_sched_set(burst->packet[i], pipe << QUEUE_BITS | queue,
                           (uint8_t)RTE_MIN(queue, (uint32_t)RTE_SCHED_TRAFFIC_CLASS_BE),
                           tm_tables.colour_of_tos[header[1]]);
    }
}

/* Half as many again may come out as went in: a queue that built up goes down again. */
STAGE_FUNCTION stage_tm(void *opaque, struct burst *burst)
{
    struct tm_lane *lane = &tm_tables.lane[burst->lcore];
    uint32_t longest = 0;
    (void)opaque;
    for (uint16_t i = 0; i < burst->count; i++)
        longest = RTE_MAX(longest, burst->packet[i]->pkt_len);
    if (unlikely(longest > tm_tables.mtu))
        drop_long(burst);
    choose_queues(burst);
    uint32_t count = burst->count;
    uint32_t queued =
        (uint32_t)rte_sched_port_enqueue(lane->port[burst->input], burst->packet, count);
    burst->drop_count[DROP_TM] += count - queued;
    __atomic_store_n(&lane->held, lane->held + queued, __ATOMIC_RELAXED);
    take_out(lane, burst->input, burst, count + count / 2 + 1);
}
