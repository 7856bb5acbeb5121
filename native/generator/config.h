/* SPDX-License-Identifier: Apache-2.0
 *
 * The configuration: what the INI file may say, with its defaults and bounds. Sections are those of
 * the program, and one [stream NAME] for each stream of packets.
 */
#ifndef PLANECAST_GENERATOR_CONFIG_H
#define PLANECAST_GENERATOR_CONFIG_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "eal_start.h"
#include "key_types.h"

enum {
    STREAMS_MAX = 256, /* a stream's number is a byte of its packets */
    SIZES_MAX = 16,
    WEIGHTS_MAX = 4096, /* packets until a mixture of sizes repeats */
    NAME_BYTES = 64,
    BATCH_MAX = 256,
    PORT_NONE = -1,
    PORT_MEMIF = -2,
    SOCKET_BYTES = 108, /* of a Unix socket's path */
};

/* A DPDK port, a memory interface of our own, or none. */
struct port_choice {
    int32_t number; /* DPDK's, PORT_NONE or PORT_MEMIF */
    char socket[SOCKET_BYTES];
};

enum headers { HEADERS_ETHERNET, HEADERS_IPV4, HEADERS_VLAN, HEADERS_QINQ };
enum flow_order { FLOWS_STEP, FLOWS_RANDOM, FLOWS_ZIPF };
enum arrivals { ARRIVALS_CONSTANT, ARRIVALS_POISSON, ARRIVALS_BURST, ARRIVALS_PCAP };
enum rate_kind { RATE_MAX, RATE_PPS, RATE_PERCENT };
/* Forward: sent by ports.tx, expected at ports.rx. Reverse: the other way. */
enum direction { FORWARD, REVERSE, DIRECTIONS };
enum when_full { FULL_WAIT, FULL_DROP };

struct rate {
    enum rate_kind kind;
    double value; /* packets a second, or percent of the link */
};

/* Frame sizes with FCS, and how often each comes. */
struct sizes {
    uint32_t count;
    uint32_t frame_bytes[SIZES_MAX], weight[SIZES_MAX];
};

struct stream_config {
    char name[NAME_BYTES];
    uint32_t direction; /* enum direction */
    uint32_t headers;   /* enum headers */
    struct sizes sizes;
    struct rate rate;
    uint32_t arrivals; /* enum arrivals */
    uint32_t burst_packets;
    double burst_us; /* from burst to burst; 0: as the rate says */
    char pcap[PATH_MAX];
    double pcap_speed;
    uint64_t packets; /* 0: as long as the run lasts */
    uint32_t flows, order;
    double zipf;
    uint32_t seed;
    uint64_t source_mac, source_mac_step, destination_mac, destination_mac_step;
    uint32_t outer_vlan, outer_vlan_step, inner_vlan, inner_vlan_step;
    uint32_t source_ip, source_ip_step, destination_ip, destination_ip_step; /* host order */
    uint32_t source_port, source_port_step, destination_port, destination_port_step;
    struct dscp_list dscp;
    uint32_t ttl;
};

struct config {
    /* ports */
    struct port_choice tx, rx;
    double link_gbps;
    uint32_t rx_queues;
    /* run */
    uint32_t burst;
    double link_wait_ms, drain_ms, warm_up_ms, catch_up_us, give_up_ms, stall_us, silence_us;
    uint32_t when_full; /* enum when_full */
    bool loop_check;
    bool payload_check;
    /* pool */
    uint32_t mbufs, rx_ring, tx_ring;
    /* machine */
    struct cpu_list lcores; /* one for sending and receiving, or one for each */
    uint32_t main_cpu, page_size, memory_mb;
    uint32_t stream_count;
    struct stream_config stream[STREAMS_MAX];
};

/* All keys at their defaults, no stream. */
void config_defaults(struct config *config);

/* A further stream with all keys at their defaults; NULL with a sentence in `error`. */
struct stream_config *config_add_stream(struct config *config, const char *name, char *error,
                                        size_t error_bytes);

/* Reads a file over what `config` holds and checks the whole. False with "FILE:LINE: key: sentence"
 * in `error`. */
bool config_read(const char *path, struct config *config, char *error, size_t error_bytes);

/* Keys of struct config, and of struct stream_config: section "stream". */
extern const struct key_table run_keys, stream_keys;

/* What is wrong between keys that are fine each alone; `stream` is the number of the stream it is
 * about, or -1. (config_check.c) */
struct config_conflict {
    const char *section, *key;
    int stream;
    char sentence[256];
};
bool config_check(const struct config *config, struct config_conflict *conflict);

/* Every key with its default, range and meaning. */
void config_print_keys(FILE *out);

/* Whether packets are sent and received at one and the same port. */
bool config_one_port(const struct config *config);

/* The longest frame of all streams, in bytes with FCS. */
uint32_t config_longest_frame(const struct config *config);

#endif
