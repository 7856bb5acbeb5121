/* SPDX-License-Identifier: Apache-2.0 */
#include "receiver.h"

#include <rte_cycles.h>

#include "payload.h"

enum { AHEAD_TICKS = 1 << 20, POLLS_PER_SAMPLE = 16 };

static const struct sighting nothing = {.verdict = VERDICT_FOREIGN};

void receiver_begin(struct receiver *receiver, uint64_t start, uint64_t tsc_hz)
{
    atomic_store_explicit(&receiver->start, start, memory_order_relaxed);
    receiver->ns_per_cycle = (uint64_t)(1e9 / (double)tsc_hz * 4294967296.0);
    receiver->packets = receiver->bytes = receiver->foreign = 0;
    receiver->polls = receiver->empty_polls = 0;
    receiver->timed_since = receiver->gaps = receiver->gap_cycles = 0;
    receiver->calls = receiver->call_cycles = 0;
    receiver->gap_squares = 0;
    atomic_store_explicit(&receiver->times_polls, true, memory_order_relaxed);
    receiver->last_ours = receiver->round_began = receiver->looked = start;
}

/* Behind tags and labels: *type is that of what stands there, 0 where the frame is too short. */
static inline uint32_t skip_l2(const uint8_t *frame, uint32_t bytes, uint16_t *type)
{
    uint32_t at = 12;
    while (at + 2 <= bytes) {
        *type = big16(load16(frame + at));
        at += 2;
        if (*type == TYPE_VLAN || *type == TYPE_QINQ) {
            at += 2;
            continue;
        }
        if (*type == TYPE_MPLS) {
            while (at + 4 <= bytes && (frame[at + 2] & 1) == 0) /* bottom of stack */
                at += 4;
            at += 4;
            *type = at < bytes && frame[at] >> 4 == 4 ? TYPE_IPV4 : 0;
        }
        return at;
    }
    *type = 0;
    return bytes;
}

static inline struct sighting check_full(const struct receiver *receiver, const uint8_t *payload,
                                         uint64_t ports, uint64_t addresses, bool expected)
{
    uint64_t head = load64(payload);
    struct sighting seen = {.stream = (uint32_t)(head >> 16 & 0xFFFF),
                            .sequence = load64(payload + 8),
                            .time = load64(payload + 16),
                            .full = true};
    bool ours = (head & 0xFFFF) == SIGNATURE_FULL_MAGIC;
    if (!ours && !expected)
        return nothing;
    uint32_t crc =
        signature_of_packet(signature_begin(seen.stream, ports), addresses, seen.sequence);
    bool right = ours && seen.stream < receiver->stream_count &&
                 signature_add(crc, seen.time) == (uint32_t)(head >> 32);
    seen.verdict = right ? VERDICT_FINE : VERDICT_CORRUPT;
    return seen;
}

static inline struct sighting check_compact(const uint8_t *payload, uint32_t stream, uint64_t ports,
                                            uint64_t addresses)
{
    uint64_t word = load64(payload);
    struct sighting seen = {
        .stream = stream, .sequence = (uint32_t)word, .time = word >> 32, .full = false};
    uint32_t crc = signature_of_packet(signature_begin(stream, ports), addresses, seen.sequence);
    bool right = signature_fold(signature_add(crc, seen.time)) == load16(payload + 8);
    seen.verdict = right ? VERDICT_FINE : VERDICT_CORRUPT;
    return seen;
}

/* A corrupt packet's own word for its stream may be what is damaged: then IPv4's counts. */
static inline struct sighting with_known_stream(const struct receiver *receiver,
                                                struct sighting seen, uint32_t expected)
{
    if (seen.stream < receiver->stream_count)
        return seen;
    seen.stream = expected;
    return expected < receiver->stream_count ? seen : nothing;
}

/* Where headers end in a frame that was sent without tags. */
enum { BEHIND_ETHERNET = 14, BEHIND_UDP = BEHIND_ETHERNET + IP_BYTES + UDP_BYTES };

/* A fine packet's payload behind its signature: `length` bytes of it, of which `there` are in this
 * segment and `all` in the frame. */
static inline struct sighting with_payload(const struct receiver *receiver, struct sighting seen,
                                           const uint8_t *payload, uint32_t behind, uint32_t length,
                                           uint32_t there, uint32_t all)
{
    uint32_t signature = seen.full ? SIGNATURE_FULL_BYTES : SIGNATURE_COMPACT_BYTES;
    uint32_t compared = RTE_MIN(length, there);
    if (seen.verdict != VERDICT_FINE || !receiver->payload_check)
        return seen;
    if (all < length || compared < signature ||
        !payload_is_whole(payload + signature, compared - signature, behind + signature))
        seen.verdict = VERDICT_CORRUPT;
    return seen;
}

/* `bytes` of it are in this segment, and `all` in the frame. */
static inline struct sighting look_at_ipv4(const struct receiver *receiver, const uint8_t *ip,
                                           uint32_t bytes, uint32_t all)
{
    const uint8_t *udp = ip + IP_BYTES, *payload = udp + UDP_BYTES;
    if (bytes < IP_BYTES + UDP_BYTES + SIGNATURE_COMPACT_BYTES || ip[0] != 0x45 ||
        ip[9] != PROTOCOL_UDP)
        return nothing;
    uint32_t payload_bytes = big16(load16(udp + 4)) - (uint32_t)UDP_BYTES;
    uint64_t ports = load64(udp) & SIGNATURE_PORTS_MASK, addresses = load64(ip + 12);
    /* That it says to be ours, whatever the check says. */
    bool expected = ip[4] == SIGNATURE_MAGIC && ip[5] < receiver->stream_count;
    struct sighting seen = nothing;
    if (payload_bytes >= SIGNATURE_FULL_BYTES &&
        bytes >= IP_BYTES + UDP_BYTES + SIGNATURE_FULL_BYTES) {
        seen = check_full(receiver, payload, ports, addresses, expected);
        seen = with_known_stream(receiver, seen, expected ? ip[5] : UINT32_MAX);
    } else if (expected) {
        seen = check_compact(payload, ip[5], ports, addresses);
    }
    const uint32_t headers = IP_BYTES + UDP_BYTES;
    return with_payload(receiver, seen, payload, BEHIND_UDP, payload_bytes, bytes - headers,
                        all - headers);
}

static struct sighting look_thoroughly(const struct receiver *receiver, const uint8_t *frame,
                                       uint32_t bytes, uint32_t frame_bytes)
{
    uint16_t type = 0;
    uint32_t at = skip_l2(frame, bytes, &type);
    if (at >= bytes)
        return nothing;
    if (type == TYPE_IPV4)
        return look_at_ipv4(receiver, frame + at, bytes - at, frame_bytes - at);
    uint32_t there = bytes - at, all = frame_bytes - at;
    if (type != TYPE_OURS || there < SIGNATURE_FULL_BYTES)
        return nothing;
    struct sighting seen = check_full(receiver, frame + at, 0, 0, false);
    seen = with_known_stream(receiver, seen, UINT32_MAX);
    return with_payload(receiver, seen, frame + at, BEHIND_ETHERNET, all, there, all);
}

/* What most packets are: IPv4 and UDP of ours behind any tags, whole and unharmed. False: the
 * packet has to be looked at thoroughly. */
static inline bool look_at_plain(const struct receiver *receiver, const uint8_t *frame,
                                 uint32_t bytes, uint32_t frame_bytes, struct sighting *seen)
{
    enum { HEADERS = IP_BYTES + UDP_BYTES };
    const uint64_t mask = UINT64_C(0x000000FF000000FF); /* version and length; identification */
    uint32_t at = BEHIND_ETHERNET;
    uint16_t type = TYPE_IPV4;
    if (bytes < BEHIND_ETHERNET || bytes != frame_bytes)
        return false;
    if (load16(frame + at - sizeof type) != big16(TYPE_IPV4))
        at = skip_l2(frame, bytes, &type);
    if (bytes < at + HEADERS + SIGNATURE_COMPACT_BYTES || type != TYPE_IPV4)
        return false;
    const uint8_t *ip = frame + at, *payload = ip + HEADERS;
    uint64_t first = load64(ip), udp = load64(ip + IP_BYTES), addresses = load64(ip + 12);
    uint32_t stream = (uint32_t)(first >> 40 & 0xFF);
    uint32_t length = big16((uint16_t)(udp >> 32)) - (uint32_t)UDP_BYTES;
    if ((first & mask) != (0x45 | (uint64_t)SIGNATURE_MAGIC << 32) || ip[9] != PROTOCOL_UDP ||
        stream >= receiver->stream_count || length > bytes - at - HEADERS)
        return false;
    uint64_t ports = udp & SIGNATURE_PORTS_MASK;
    *seen = length >= SIGNATURE_FULL_BYTES ? check_full(receiver, payload, ports, addresses, true)
                                           : check_compact(payload, stream, ports, addresses);
    *seen = with_payload(receiver, *seen, payload, BEHIND_UDP, length, length, length);
    return seen->verdict == VERDICT_FINE;
}

static inline struct sighting look(const struct receiver *receiver, const uint8_t *frame,
                                   uint32_t bytes, uint32_t frame_bytes)
{
    struct sighting seen;
    if (__builtin_expect(look_at_plain(receiver, frame, bytes, frame_bytes, &seen), 1))
        return seen;
    return look_thoroughly(receiver, frame, bytes, frame_bytes);
}

struct sighting receiver_look(const struct receiver *receiver, const uint8_t *frame, uint32_t bytes,
                              uint32_t frame_bytes)
{
    return look(receiver, frame, bytes, frame_bytes);
}

/* Packets of a stream one after the other that were sent in one call: they are counted at once. */
struct run {
    struct sighting seen; /* of the first */
    uint32_t packets;
    uint64_t bytes; /* without FCS */
};

/* Cycles that the packet was under way. */
static inline uint64_t age(const struct sighting *seen, uint64_t now)
{
    if (seen->full)
        return now > seen->time ? now - seen->time : 0;
    uint64_t ticks = (uint32_t)((now >> SIGNATURE_TIME_SHIFT) - seen->time);
    /* The last of the range are ahead of us, by another CPU's clock. */
    return ticks > UINT32_MAX - AHEAD_TICKS ? 0 : ticks << SIGNATURE_TIME_SHIFT;
}

/* Counts a run of packets. */
static void count_run(struct receiver *receiver, const struct run *run, uint64_t now)
{
    const struct stream *stream = &receiver->stream[run->seen.stream];
    if (run->packets == 0)
        return;
    if (stream->config.direction != receiver->direction) {
        receiver->foreign += run->packets; /* ours, and at the wrong port */
        return;
    }
    struct stream_rx *rx = stream->rx;
    receiver->last_ours = now;
    uint64_t cycles = age(&run->seen, now);
    if (now - cycles < atomic_load_explicit(&receiver->start, memory_order_relaxed)) {
        rx->stale += run->packets;
        return;
    }
    rx->packets += run->packets;
    rx->bytes += run->bytes + (uint64_t)run->packets * FCS_BYTES;
    uint64_t first = run->seen.full ? run->seen.sequence
                                    : sequence_whole(&rx->sequence, (uint32_t)run->seen.sequence);
    sequence_see_run(&rx->sequence, first, run->packets);
    histogram_add_many(&rx->latency,
                       (uint64_t)((unsigned __int128)cycles * receiver->ns_per_cycle >> 32),
                       run->packets);
}

static void count_other(struct receiver *receiver, const struct sighting *seen, uint64_t now)
{
    const struct stream *stream = &receiver->stream[seen->stream];
    if (seen->verdict == VERDICT_FOREIGN || stream->config.direction != receiver->direction) {
        receiver->foreign++;
        return;
    }
    receiver->last_ours = now;
    stream->rx->corrupt++;
}

/* Whether the packet is the next of the run: sent at the same time, one number on. */
static inline bool continues(const struct run *run, const struct sighting *seen)
{
    uint64_t next = run->seen.sequence + run->packets;
    return run->packets > 0 && seen->verdict == VERDICT_FINE && seen->time == run->seen.time &&
           seen->sequence == next && seen->stream == run->seen.stream &&
           seen->full == run->seen.full;
}

static inline void add_to_run(struct receiver *receiver, struct run *run,
                              const struct sighting *seen, uint32_t bytes, uint64_t now)
{
    if (__builtin_expect(continues(run, seen), 1)) {
        run->packets++;
        run->bytes += bytes;
        return;
    }
    count_run(receiver, run, now);
    *run = (struct run){.seen = *seen, .packets = 1, .bytes = bytes};
    if (seen->verdict != VERDICT_FINE) {
        count_other(receiver, seen, now);
        run->packets = 0;
    }
}

void receiver_count(struct receiver *receiver, const struct sighting *seen, uint32_t bytes,
                    uint64_t now)
{
    struct run run = {.packets = 0};
    add_to_run(receiver, &run, seen, bytes, now);
    count_run(receiver, &run, now);
}

bool receiver_idle_for(const struct receiver *receiver, uint64_t since, uint64_t cycles)
{
    since = RTE_MAX(since, receiver->last_ours);
    return receiver->looked > since && receiver->looked - since > cycles;
}

/* The clock may be read before the loads that stand before it; what they brought had come then. So
 * it waits for them: otherwise a packet's time under way would be understated. */
static inline uint64_t time_of_arrival(void)
{
    _mm_lfence();
    return rte_rdtsc();
}

/* The poll that begins now ends the one that is timed, and is timed itself if it's its turn. */
static inline void time_poll(struct receiver *receiver)
{
    bool next = receiver->polls % POLLS_PER_SAMPLE == 0 &&
                atomic_load_explicit(&receiver->times_polls, memory_order_relaxed);
    if (!next && receiver->timed_since == 0)
        return;
    uint64_t now = rte_rdtsc();
    if (receiver->timed_since != 0) {
        uint64_t gap = now - receiver->timed_since;
        receiver->gaps++;
        receiver->gap_cycles += gap;
        receiver->gap_squares += (double)gap * (double)gap;
    }
    receiver->timed_since = next ? now : 0;
}

bool receiver_turn(struct receiver *receiver, uint64_t now)
{
    if (receiver->queue == 0)
        receiver->round_began = now;
    time_poll(receiver);
    struct frames *frames = &receiver->frames;
    uint16_t queue = receiver->queue;
    port_take(receiver->port, queue, (uint16_t)receiver->burst, frames);
    if (++receiver->queue >= receiver->queues) {
        receiver->queue = 0;
        receiver->looked = receiver->round_began;
    }
    receiver->polls++;
    if (frames->count == 0) {
        receiver->empty_polls++;
        return false;
    }
    uint64_t came = time_of_arrival();
    if (receiver->timed_since != 0) {
        receiver->calls++;
        receiver->call_cycles += came - receiver->timed_since;
    }
    struct run run = {.packets = 0};
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < frames->count; i++) {
        struct sighting seen =
            look(receiver, frames->frame[i], frames->bytes[i], frames->all_bytes[i]);
        bytes += frames->all_bytes[i];
        add_to_run(receiver, &run, &seen, frames->all_bytes[i], came);
    }
    count_run(receiver, &run, came);
    receiver->packets += frames->count;
    receiver->bytes += bytes + (uint64_t)frames->count * FCS_BYTES;
    port_give_back(receiver->port, queue, frames);
    return true;
}
