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
#include <inttypes.h>
#include <rte_malloc.h>
#include <rte_sched.h>
#include <stdlib.h>

#include "../config.h"
#include "../lcore_map.h"
#include "../pktgen_tuple.h"
#include "../stage.h"
#include "downstream.h"
#include "tm.h"

enum {
    PIPES = 1 << PIPE_BITS,
    CLASSES_TM = RTE_SCHED_TRAFFIC_CLASSES_PER_PIPE,
    TOKENS_BYTES = 1000000,
    SUBPORT_PERIOD_MS = 10,
};

/* The schedulers of one lcore; its own line, for others read `held`. */
struct scheduler {
    struct rte_sched_port *port[PORTS_MAX]; /* by input; NULL: another lcore's */
    uint64_t held;
    uint32_t mtu; /* longest frame, without FCS */
    uint32_t ip;  /* where a frame's IPv4 header is */
    uint8_t next; /* input whose scheduler is flushed next */
    uint8_t colour_of_tos[256];
} __rte_cache_aligned;

uint32_t tm_mtu(const struct config *config)
{
    return RTE_MAX((uint32_t)TM_MTU_BYTES, config->frame_bytes - FCS_BYTES + QINQ_BYTES);
}

/* How many times an instrument slows the program down, as in native/meter/clock_rate.c. Rates are
 * as many times lower and periods longer: a pipe's credits are renewed once in as many packets as
 * natively, and not for each of them. */
static uint64_t slower(void)
{
    const char *given = getenv("PLANECAST_SLOWER");
    return given != NULL ? RTE_MAX(strtoull(given, NULL, 10), 1ULL) : 1;
}

static struct rte_sched_port *open_port(const struct config *config, int socket)
{
    uint64_t rate = RTE_MAX(config->tm_rate / slower(), 1ULL);
    struct rte_sched_subport_profile_params subport = {
        .tb_rate = rate, .tb_size = TOKENS_BYTES, .tc_period = SUBPORT_PERIOD_MS * slower()};
    for (int i = 0; i < CLASSES_TM; i++)
        subport.tc_rate[i] = rate;
    struct rte_sched_port_params params = {
        .name = "tm",
        .socket = socket,
        .rate = rate,
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
    uint64_t rate = RTE_MAX(config->tm_pipe_rate / slower(), 1ULL);
    struct rte_sched_pipe_params pipe = {.tb_rate = rate,
                                         .tb_size = TOKENS_BYTES,
                                         .tc_period = TM_PIPE_PERIOD_MS * slower(),
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
        pipe.tc_rate[i] = rate;
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
    return config->rx_by_queue || input % chains_of(config) == lcore / segments_of(config);
}

/* A packet's colour is its code point's drop precedence (RFC 2597), green for all others: what the
 * upstream half takes for a colour. */
static void fill_colours(struct scheduler *scheduler)
{
    for (int tos = 0; tos < 256; tos++) {
        int dscp = tos >> 2;
        int precedence = dscp >> 1 & 3;
        bool assured = dscp >= 10 && dscp <= 38 && (dscp & 1) == 0 && precedence != 0;
        scheduler->colour_of_tos[tos] = (uint8_t)(assured ? precedence - 1 : RTE_COLOR_GREEN);
    }
}

static void close_context(void *context)
{
    struct scheduler *scheduler = context;
    for (int input = 0; input < PORTS_MAX; input++) {
        /* And what it holds; but of a queue that is exactly full it forgets the packets. Their pool
         * goes right after. */
        if (scheduler->port[input] != NULL)
            rte_sched_port_free(scheduler->port[input]);
    }
    rte_free(scheduler);
}

static void *open_context(const struct stage_site *site)
{
    const struct config *config = site->config;
    struct scheduler *scheduler = rte_zmalloc_socket("tm", sizeof *scheduler, 0, site->socket);
    bool fine = scheduler != NULL;
    if (fine) {
        scheduler->mtu = tm_mtu(config);
        fill_colours(scheduler);
    }
    for (uint32_t input = 0; input < config->rx.count && fine; input++) {
        if (!passes(config, site->lcore, input))
            continue;
        scheduler->port[input] = open_port(config, site->socket);
        fine = scheduler->port[input] != NULL && fill_port(scheduler->port[input], config);
    }
    if (fine)
        return scheduler;
    if (scheduler != NULL)
        close_context(scheduler);
    return stage_fails(site,
                       "the scheduler of lcore %u is refused, or there is no memory for it: "
                       "tm_rate %" PRIu64 ", tm_pipe_rate %" PRIu64,
                       site->lcore, config->tm_rate, config->tm_pipe_rate);
}

static uint64_t context_bytes(const struct config *config)
{
    return config->rx.count * TM_BYTES;
}

static void prepare(void *context, const struct stage_use *use)
{
    struct scheduler *scheduler = context;
    scheduler->ip = pipeline_has(use->pipeline, "qinq") ? DOWN_IP_OUT : DOWN_IP_IN;
}

/* A pipe can't have more than its output; and a class of it must be able to send the longest frame
 * in one period, for what it doesn't use up is lost to it. */
static bool check_keys(const struct config *config, struct config_conflict *conflict)
{
    if (config->tm_pipe_rate > config->tm_rate)
        return config_conflicts(
            conflict, CONFIG_NAME("tables", "tm_pipe_rate"), CONFIG_NAME("tables", "tm_rate"),
            "%" PRIu64 " bytes a second are more than the output's tm_rate %" PRIu64,
            config->tm_pipe_rate, config->tm_rate);
    uint64_t least = (tm_mtu(config) + TM_OVERHEAD_BYTES) * 1000ULL / TM_PIPE_PERIOD_MS + 1;
    if (config->tm_pipe_rate >= least)
        return true;
    return config_conflicts(
        conflict, CONFIG_NAME("tables", "tm_pipe_rate"), CONFIG_NAME("traffic", "frame_bytes"),
        "%" PRIu64 " bytes a second never let a frame of %u bytes through; it takes %" PRIu64
        " or more",
        config->tm_pipe_rate, tm_mtu(config), least);
}

static uint64_t held(const void *context)
{
    return __atomic_load_n(&((const struct scheduler *)context)->held, __ATOMIC_RELAXED);
}

/* Fills the burst with up to `most` packets that may go now; the columns that report packets are
 * those of what comes out. */
static void take_out(struct scheduler *scheduler, uint8_t input, struct burst *burst, uint32_t most)
{
    int count =
        rte_sched_port_dequeue(scheduler->port[input], burst->packet, RTE_MIN(most, BURST_MAX));
    burst->count = (uint16_t)count;
    for (int i = 0; i < count; i++)
        burst->frame[i] = rte_pktmbuf_mtod(burst->packet[i], uint8_t *);
    __atomic_store_n(&scheduler->held, scheduler->held - (uint64_t)count, __ATOMIC_RELAXED);
}

static void flush(void *context, struct burst *burst)
{
    struct scheduler *scheduler = context;
    for (int i = 0; i < PORTS_MAX && burst->count == 0 && scheduler->held > 0; i++) {
        uint8_t input = scheduler->next;
        scheduler->next = (uint8_t)((input + 1) % PORTS_MAX);
        if (scheduler->port[input] == NULL)
            continue;
        burst->input = input; /* for the sink: it goes to that one's partner */
        take_out(scheduler, input, burst, BURST_MAX);
    }
}

static SLOW_PATH drop_long(const struct scheduler *scheduler, struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = burst->packet[i]->pkt_len > scheduler->mtu ? DROP_OVERSIZE : DROP_NONE;
    burst_drop(burst, verdict);
}

/* Where each packet queues, for rte_sched_port_enqueue: it reads it from the mbuf. */
static void choose_queues(const struct scheduler *scheduler, struct burst *burst)
{
    const uint32_t ip = scheduler->ip;
    uint32_t count = burst->count;
    BURST_UNROLL
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *header = burst->frame[i] + ip;
        uint32_t source = big32(load32(header + 12));
        uint32_t queue = source & ((1U << QUEUE_BITS) - 1);
        uint32_t pipe = source >> 16 & (PIPES - 1);
        rte_mbuf_sched_set(burst->packet[i], pipe << QUEUE_BITS | queue,
                           (uint8_t)RTE_MIN(queue, (uint32_t)RTE_SCHED_TRAFFIC_CLASS_BE),
                           scheduler->colour_of_tos[header[1]]);
    }
}

/* Half as many again may come out as went in: a queue that built up goes down again. */
STAGE_FUNCTION(tm)
{
    struct scheduler *scheduler = context;
    uint32_t longest = 0;
    for (uint16_t i = 0; i < burst->count; i++)
        longest = RTE_MAX(longest, burst->packet[i]->pkt_len);
    if (unlikely(longest > scheduler->mtu))
        drop_long(scheduler, burst);
    choose_queues(scheduler, burst);
    uint32_t count = burst->count;
    uint32_t queued =
        (uint32_t)rte_sched_port_enqueue(scheduler->port[burst->input], burst->packet, count);
    burst->drop_count[DROP_TM] += count - queued;
    __atomic_store_n(&scheduler->held, scheduler->held + queued, __ATOMIC_RELAXED);
    take_out(scheduler, burst->input, burst, count + count / 2 + 1);
}

static const struct stage tm = {.name = "tm",
                                .run = stage_tm,
                                .needs = "downroute",
                                .open = open_context,
                                .close = close_context,
                                .context_bytes = context_bytes,
                                .prepare = prepare,
                                .check_keys = check_keys,
                                .held = held,
                                .flush = flush};
STAGE_REGISTER(tm)
