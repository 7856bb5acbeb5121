/* SPDX-License-Identifier: Apache-2.0
 *
 * Makes packets: the shape's headers as a whole, then the fields that a flow changes.
 *
 * A buffer is written without a look at what is in it: its first cache line from the template, its
 * mbuf's fields by one store. What follows was written once, when the pool was made (payload.h).
 */
#include <rte_mbuf.h>

#include "stream.h"

struct flow_fields {
    uint32_t ip_sum; /* what DSCP adds to the header's sum */
    uint32_t begun;  /* signature_begin with the flow's ports */
};

static void write_mac(uint8_t *at, uint64_t mac)
{
    store16(at, big16((uint16_t)(mac >> 32)));
    store32(at + 2, big32((uint32_t)mac));
}

/* Tags, MAC addresses: before IPv4. */
static void write_l2(const struct stream_config *config, uint8_t *frame, uint32_t flow)
{
    if ((config->destination_mac_step | config->source_mac_step) != 0) {
        write_mac(frame, config->destination_mac + flow * config->destination_mac_step);
        write_mac(frame + 6, config->source_mac + flow * config->source_mac_step);
    }
    if (config->headers == HEADERS_QINQ) {
        uint32_t step = config->outer_vlan_step << 12 | config->inner_vlan_step;
        uint32_t tags = (config->outer_vlan << 12 | config->inner_vlan) + flow * step;
        store16(frame + OFFSET_TAGS, big16(tags >> 12 & 0xFFF));
        store16(frame + OFFSET_TAGS + 4, big16(tags & 0xFFF));
    } else if (config->headers == HEADERS_VLAN) {
        uint32_t tag = config->outer_vlan + flow * config->outer_vlan_step;
        store16(frame + OFFSET_TAGS, big16(tag & 0xFFF));
    }
}

/* DSCP and ports; what they change in the sums. */
static struct flow_fields write_l3(const struct stream *stream, uint8_t *ip, uint32_t flow)
{
    const struct stream_config *config = &stream->config;
    struct flow_fields fields = {0};
    fields.ip_sum = (uint32_t)config->dscp.value[flow % config->dscp.count] << 2;
    ip[1] = (uint8_t)fields.ip_sum;
    uint8_t *udp = ip + IP_BYTES;
    store16(udp, big16((uint16_t)(config->source_port + flow * config->source_port_step)));
    store16(udp + 2,
            big16((uint16_t)(config->destination_port + flow * config->destination_port_step)));
    fields.begun = signature_begin(stream->number, load64(udp) & SIGNATURE_PORTS_MASK);
    return fields;
}

/* Addresses as they stand in a packet, and its header's checksum. */
static inline void compute_ip(const struct stream_config *config, const struct shape *shape,
                              uint32_t flow, uint32_t sum, uint64_t *addresses, uint16_t *checksum)
{
    uint32_t source = config->source_ip + flow * config->source_ip_step;
    uint32_t destination = config->destination_ip + flow * config->destination_ip_step;
    *addresses = big32(source) | (uint64_t)big32(destination) << 32;
    sum += shape->checksum_base + (source >> 16) + (source & 0xFFFF) + (destination >> 16) +
           (destination & 0xFFFF);
    *checksum = big16(checksum_fold(sum));
}

static inline uint8_t *start_frame(struct rte_mbuf *mbuf, const struct shape *shape)
{
    uint8_t *frame = (uint8_t *)mbuf + MBUF_TO_FRAME;
    memcpy(&mbuf->rearm_data, &shape->fresh, sizeof shape->fresh);
    memcpy(frame, shape->headers, TEMPLATE_BYTES);
    return frame;
}

/* One stream, one size, addresses alone: the case that has to be fast. What can be computed for
 * several packets at once is, in a loop of which the compiler makes vectors; then each is written.
 */
static void make_alike(struct stream *stream, struct batch *batch, uint32_t count,
                       const uint32_t *flow)
{
    const struct shape *shape = &stream->shape[0];
    uint64_t sequence = stream->next_sequence, addresses[BATCH_MAX];
    uint64_t sequence_mask = shape->full ? UINT64_MAX : UINT32_MAX;
    uint16_t checksum[BATCH_MAX];
    uint32_t begun = shape->begun, ip_offset = shape->ip_offset;
    batch->shape = shape;
    batch->first_sequence = sequence;
    if (ip_offset == 0) {
        for (uint32_t i = 0; i < count; i++) {
            start_frame(batch->mbuf[i], shape);
            batch->crc[i] = signature_of_packet(begun, 0, sequence + i);
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        compute_ip(&stream->config, shape, flow[i], 0, &addresses[i], &checksum[i]);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *ip = start_frame(batch->mbuf[i], shape) + ip_offset;
        store16(ip + 10, checksum[i]);
        store64(ip + 12, addresses[i]);
        batch->crc[i] = signature_of_packet(begun, addresses[i], (sequence + i) & sequence_mask);
    }
}

static void make_one(const struct stream *stream, const struct shape *shape, struct batch *batch,
                     uint32_t i, uint32_t flow, uint64_t sequence)
{
    uint8_t *frame = start_frame(batch->mbuf[i], shape);
    struct flow_fields fields = {.begun = shape->begun};
    uint64_t addresses = 0;
    if (stream->fields_vary)
        write_l2(&stream->config, frame, flow);
    if (shape->ip_offset != 0) {
        uint8_t *ip = frame + shape->ip_offset;
        uint16_t checksum = 0;
        if (stream->fields_vary)
            fields = write_l3(stream, ip, flow);
        compute_ip(&stream->config, shape, flow, fields.ip_sum, &addresses, &checksum);
        store16(ip + 10, checksum);
        store64(ip + 12, addresses);
    }
    batch->payload[i] = frame + shape->payload_offset;
    batch->crc[i] =
        signature_of_packet(fields.begun, addresses, shape->full ? sequence : (uint32_t)sequence);
    batch->sequence[i] = sequence;
    batch->frame_bytes[i] = (uint16_t)shape->frame_bytes;
    batch->stream[i] = (uint8_t)stream->number;
    batch->full[i] = shape->full;
}

static void make_any(struct stream *stream, struct batch *batch, uint32_t first, uint32_t count,
                     const uint32_t *flow)
{
    uint64_t sequence = stream->next_sequence;
    uint32_t at = stream->pattern_at;
    for (uint32_t i = 0; i < count; i++) {
        const struct shape *shape = &stream->shape[stream->pattern[at]];
        at = at + 1 == stream->pattern_length ? 0 : at + 1;
        make_one(stream, shape, batch, first + i, flow[i], sequence + i);
    }
    stream->pattern_at = at;
}

void stream_make(struct stream *stream, struct batch *batch, uint32_t first, uint32_t count)
{
    uint32_t flow[BATCH_MAX];
    flows_take(&stream->flows, flow, count);
    batch->shape = NULL;
    if (batch->alone && stream->pattern_length == 1 && !stream->fields_vary)
        make_alike(stream, batch, count, flow);
    else
        make_any(stream, batch, first, count, flow);
    stream->next_sequence += count;
}
