/* SPDX-License-Identifier: Apache-2.0 */
#include "shape.h"

#include <string.h>

#include "bytes.h"
#include "payload.h"
#include "signature.h"

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    store16(at, big16((uint16_t)value));
    return at + 2;
}

static uint8_t *put_mac(uint8_t *at, uint64_t mac)
{
    at = put16(at, (uint32_t)(mac >> 32));
    store32(at, big32((uint32_t)mac));
    return at + 4;
}

/* Up to the type of what follows; the tags' ids are those of the first flow. */
static uint8_t *put_ethernet(uint8_t *at, const struct stream_config *config)
{
    at = put_mac(at, config->destination_mac);
    at = put_mac(at, config->source_mac);
    if (config->headers == HEADERS_QINQ || config->headers == HEADERS_VLAN) {
        at = put16(at, config->headers == HEADERS_QINQ ? TYPE_QINQ : TYPE_VLAN);
        at = put16(at, config->outer_vlan);
    }
    if (config->headers == HEADERS_QINQ) {
        at = put16(at, TYPE_VLAN);
        at = put16(at, config->inner_vlan);
    }
    return put16(at, config->headers == HEADERS_ETHERNET ? TYPE_OURS : TYPE_IPV4);
}

/* Addresses and checksum stay 0. */
static void put_ipv4_udp(struct shape *shape, const struct stream_config *config, uint32_t stream)
{
    uint8_t *ip = shape->headers + shape->ip_offset, *udp = ip + IP_BYTES;
    uint32_t length = shape->frame_bytes - shape->ip_offset;
    ip[0] = 0x45;
    put16(ip + 2, length);
    put16(ip + 4, SIGNATURE_MAGIC << 8 | stream);
    ip[8] = (uint8_t)config->ttl;
    ip[9] = PROTOCOL_UDP;
    put16(udp, config->source_port);
    put16(udp + 2, config->destination_port);
    put16(udp + 4, length - IP_BYTES);
    for (int i = 0; i < IP_BYTES; i += 2)
        shape->checksum_base += big16(load16(ip + i));
}

void shape_set(struct shape *shape, const struct stream_config *config, uint32_t stream,
               uint32_t frame_bytes)
{
    uint64_t ports = 0;
    memset(shape, 0, sizeof *shape);
    shape->stream = stream;
    shape->frame_bytes = frame_bytes - FCS_BYTES;
    uint32_t used = (uint32_t)(put_ethernet(shape->headers, config) - shape->headers);
    shape->payload_offset = used;
    if (config->headers != HEADERS_ETHERNET) {
        shape->ip_offset = used;
        shape->payload_offset = used + IP_BYTES + UDP_BYTES;
        put_ipv4_udp(shape, config, stream);
        ports = load64(shape->headers + used + IP_BYTES) & SIGNATURE_PORTS_MASK;
    }
    shape->full = shape->frame_bytes - shape->payload_offset >= SIGNATURE_FULL_BYTES;
    uint32_t signature = shape->full ? SIGNATURE_FULL_BYTES : SIGNATURE_COMPACT_BYTES;
    payload_fill(shape->headers, shape->payload_offset + signature, TEMPLATE_BYTES);
    shape->begun = signature_begin(stream, ports);
    const struct rte_mbuf one = {
        .data_off = RTE_PKTMBUF_HEADROOM, .refcnt = 1, .nb_segs = 1, .port = RTE_MBUF_PORT_INVALID};
    memcpy(&shape->fresh, one.rearm_data, sizeof shape->fresh.rearm);
    shape->fresh.packet_bytes = shape->frame_bytes;
    shape->fresh.data_bytes = (uint16_t)shape->frame_bytes;
}
