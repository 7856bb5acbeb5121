/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of keys, and the file that sets them.
 */
#include "config.h"

#include <string.h>

#include "config_types.h"
#include "ini.h"

#define OF_RUN(name)    offsetof(struct config, name)
#define OF_STREAM(name) offsetof(struct stream_config, name)

/* clang-format off */
static const struct key keys_of_run[] = {
    {"ports", "tx", &type_port, OF_RUN(tx), 0, 31, "0", "where packets are sent", NULL},
    {"ports", "rx", &type_port, OF_RUN(rx), 0, 31, "0", "where they are expected", NULL},
    {"ports", "link_gbps", &type_number, OF_RUN(link_gbps), 0.001, 10000, "10", "link rate that percents are of", NULL},
    {"ports", "rx_queues", &type_u32, OF_RUN(rx_queues), 1, 16, "1", "receive queues, polled in turn: a switch may send into any", NULL},
    {"run", "burst", &type_u32, OF_RUN(burst), 1, BATCH_MAX, "32", "packets that are sent at once, at the most", NULL},
    {"run", "link_wait_ms", &type_number, OF_RUN(link_wait_ms), 0, 60000, "1000", "a run begins when the links are up, or after so long", NULL},
    {"run", "drain_ms", &type_number, OF_RUN(drain_ms), 0, 60000, "100", "receiving continues until nothing came for so long", NULL},
    {"run", "warm_up_ms", &type_number, OF_RUN(warm_up_ms), 0, 60000, "0", "sent before a run, at its rate, and not counted", NULL},
    {"run", "catch_up_us", &type_number, OF_RUN(catch_up_us), 1, 1e9, "1000", "packets later than this are given up, as unsent", NULL},
    {"run", "give_up_ms", &type_number, OF_RUN(give_up_ms), 1, 1e6, "2000", "sending ends when the port took nothing for so long", NULL},
    {"run", "stall_us", &type_number, OF_RUN(stall_us), 1, 1e6, "20", "a turn of the loop that takes longer had lost its CPU", NULL},
    {"run", "silence_us", &type_number, OF_RUN(silence_us), 1, 1e6, "200", "longer without a packet back, while the port refuses, is no work of what is between", NULL},
    {"run", "when_full", &type_choice, OF_RUN(when_full), 0, 0, "wait", "what the port refuses is sent later, or dropped as a full NIC's ring does", "wait,drop"},
    {"run", "loop_check", &type_bool, OF_RUN(loop_check), 0, 1, "on", "measure the generator's own latency over a ring at the start", NULL},
    {"run", "payload_check", &type_bool, OF_RUN(payload_check), 0, 1, "on", "compare the whole payload with what was sent, not the signature alone", NULL},
    {"pool", "mbufs", &type_u32, OF_RUN(mbufs), 1024, 1U << 22, "8192", "packet buffers for sending, and as many for receiving", NULL},
    {"pool", "rx_ring", &type_u32, OF_RUN(rx_ring), 32, 16384, "512", "RX descriptors; slots of both rings of a memory interface at ports.rx", NULL},
    {"pool", "tx_ring", &type_u32, OF_RUN(tx_ring), 32, 16384, "512", "TX descriptors; slots of both rings of a memory interface at ports.tx", NULL},
    {"machine", "lcores", &type_cpu_pair, OF_RUN(lcores), 0, UINT16_MAX, "1", "CPU that sends and receives, or two", NULL},
    {"machine", "main_cpu", &type_u32, OF_RUN(main_cpu), 0, UINT16_MAX, "0", "CPU of the main lcore, which sleeps", NULL},
    {"machine", "page_size", &type_choice, OF_RUN(page_size), 0, 0, "auto", "as large as there are, or 4 KiB", PAGE_SIZES},
    {"machine", "memory_mb", &type_u32, OF_RUN(memory_mb), 0, 1U << 20, "0", "DPDK's memory; 0: what the buffers need", NULL},
};
static const struct key keys_of_streams[] = {
    {"stream", "direction", &type_choice, OF_STREAM(direction), 0, 0, "forward", "sent by ports.tx and expected at ports.rx, or the other way", "forward,reverse"},
    {"stream", "headers", &type_choice, OF_STREAM(headers), 0, 0, "ipv4", "Ethernet alone, or IPv4 and UDP after it, after a tag, or after two", "ethernet,ipv4,vlan-ipv4,qinq-ipv4"},
    {"stream", "sizes", &type_sizes, OF_STREAM(sizes), 64, 9000, "64", "frame sizes with FCS", NULL},
    {"stream", "rate", &type_rate, OF_STREAM(rate), 0.001, 1e9, "max", "how many packets", NULL},
    {"stream", "arrivals", &type_choice, OF_STREAM(arrivals), 0, 0, "constant", "how the rate is spaced", "constant,poisson,burst,pcap"},
    {"stream", "burst_packets", &type_u32, OF_STREAM(burst_packets), 1, 1U << 20, "32", "packets back to back, with arrivals = burst", NULL},
    {"stream", "burst_us", &type_number, OF_STREAM(burst_us), 0, 1e9, "0", "time from burst to burst; 0: as the rate says", NULL},
    {"stream", "pcap", &type_path, OF_STREAM(pcap), 0, 0, "", "file whose times are repeated, with arrivals = pcap", NULL},
    {"stream", "pcap_speed", &type_number, OF_STREAM(pcap_speed), 1e-6, 1e6, "1", "so many times as fast as the file", NULL},
    {"stream", "packets", &type_u64, OF_STREAM(packets), 0, 1e15, "0", "packets of the stream; 0: as long as the run lasts", NULL},
    {"stream", "flows", &type_u32, OF_STREAM(flows), 1, 1U << 24, "1", "flows; their addresses are base + number times step", NULL},
    {"stream", "order", &type_choice, OF_STREAM(order), 0, 0, "step", "one after the other, or at random", "step,random,zipf"},
    {"stream", "zipf", &type_number, OF_STREAM(zipf), 0, 10, "1", "exponent s: flow k comes as 1/k^s", NULL},
    {"stream", "seed", &type_u32, OF_STREAM(seed), 0, UINT32_MAX, "1", "of random flows and arrivals", NULL},
    {"stream", "source_mac", &type_mac, OF_STREAM(source_mac), 0, 0, "02:00:00:00:00:01", "of the first flow", NULL},
    {"stream", "source_mac_step", &type_u64, OF_STREAM(source_mac_step), 0, 281474976710655.0, "0", "from flow to flow", NULL},
    {"stream", "destination_mac", &type_mac, OF_STREAM(destination_mac), 0, 0, "02:00:00:00:00:02", "of the first flow", NULL},
    {"stream", "destination_mac_step", &type_u64, OF_STREAM(destination_mac_step), 0, 281474976710655.0, "0", "from flow to flow", NULL},
    {"stream", "outer_vlan", &type_u32, OF_STREAM(outer_vlan), 0, 4095, "0", "S-VLAN of the first flow, or the only tag's", NULL},
    {"stream", "outer_vlan_step", &type_u32, OF_STREAM(outer_vlan_step), 0, 4095, "0", "from flow to flow", NULL},
    {"stream", "inner_vlan", &type_u32, OF_STREAM(inner_vlan), 0, 4095, "0", "C-VLAN of the first flow", NULL},
    {"stream", "inner_vlan_step", &type_u32, OF_STREAM(inner_vlan_step), 0, 4095, "0", "from flow to flow; what passes 4095 is carried to the S-VLAN", NULL},
    {"stream", "source_ip", &type_ipv4, OF_STREAM(source_ip), 0, 0, "10.0.0.1", "of the first flow", NULL},
    {"stream", "source_ip_step", &type_ipv4, OF_STREAM(source_ip_step), 0, 0, "0.0.0.1", "from flow to flow", NULL},
    {"stream", "destination_ip", &type_ipv4, OF_STREAM(destination_ip), 0, 0, "11.0.0.1", "of the first flow", NULL},
    {"stream", "destination_ip_step", &type_ipv4, OF_STREAM(destination_ip_step), 0, 0, "0.0.0.1", "from flow to flow", NULL},
    {"stream", "source_port", &type_u32, OF_STREAM(source_port), 0, UINT16_MAX, "49152", "UDP port of the first flow", NULL},
    {"stream", "source_port_step", &type_u32, OF_STREAM(source_port_step), 0, UINT16_MAX, "0", "from flow to flow", NULL},
    {"stream", "destination_port", &type_u32, OF_STREAM(destination_port), 0, UINT16_MAX, "49153", "UDP port of the first flow", NULL},
    {"stream", "destination_port_step", &type_u32, OF_STREAM(destination_port_step), 0, UINT16_MAX, "0", "from flow to flow", NULL},
    {"stream", "dscp", &type_dscps, OF_STREAM(dscp), 0, 63, "0", "code points; a flow has one, by its number", NULL},
    {"stream", "ttl", &type_u32, OF_STREAM(ttl), 1, 255, "64", "time to live", NULL},
};
/* clang-format on */
enum {
    RUN_KEYS = sizeof keys_of_run / sizeof *keys_of_run,
    STREAM_KEYS = sizeof keys_of_streams / sizeof *keys_of_streams
};
_Static_assert((int)RUN_KEYS <= (int)KEYS_MAX && (int)STREAM_KEYS <= (int)KEYS_MAX,
               "a line is kept for every key");

static const char sections[] = "ports, run, pool, machine, stream NAME";
const struct key_table run_keys = {keys_of_run, RUN_KEYS, "", sections};
const struct key_table stream_keys = {keys_of_streams, STREAM_KEYS, " NAME", sections};

void config_defaults(struct config *config)
{
    memset(config, 0, sizeof *config);
    keys_default(&run_keys, config);
}

void config_print_keys(FILE *out)
{
    keys_print(&run_keys, out);
    keys_print(&stream_keys, out);
}

struct stream_config *config_add_stream(struct config *config, const char *name, char *error,
                                        size_t error_bytes)
{
    if (*name == '\0' || strlen(name) >= NAME_BYTES || strpbrk(name, ". =\t") != NULL) {
        snprintf(error, error_bytes,
                 "a stream's name takes 1 to %d bytes without blanks, dots and equals signs",
                 NAME_BYTES - 1);
        return NULL;
    }
    for (uint32_t i = 0; i < config->stream_count; i++) {
        if (strcmp(config->stream[i].name, name) == 0) {
            snprintf(error, error_bytes, "a stream '%s' is there already", name);
            return NULL;
        }
    }
    if (config->stream_count == STREAMS_MAX) {
        snprintf(error, error_bytes, "more than %d streams", STREAMS_MAX);
        return NULL;
    }
    struct stream_config *stream = &config->stream[config->stream_count++];
    memset(stream, 0, sizeof *stream);
    snprintf(stream->name, sizeof stream->name, "%s", name);
    keys_default(&stream_keys, stream);
    return stream;
}

bool config_one_port(const struct config *config)
{
    return config->tx.number == config->rx.number &&
           strcmp(config->tx.socket, config->rx.socket) == 0;
}

uint32_t config_longest_frame(const struct config *config)
{
    uint32_t longest = 64;
    for (uint32_t i = 0; i < config->stream_count; i++) {
        const struct sizes *sizes = &config->stream[i].sizes;
        for (uint32_t j = 0; j < sizes->count; j++) {
            if (sizes->frame_bytes[j] > longest)
                longest = sizes->frame_bytes[j];
        }
    }
    return longest;
}

struct reader {
    struct config *config;
    int line_of[KEYS_MAX];
    int stream_line_of[STREAMS_MAX][KEYS_MAX];
};

static bool find_section(void *opaque, char *heading, struct ini_section *section, char *error,
                         size_t error_bytes)
{
    struct reader *reader = opaque;
    if (strncmp(heading, "stream", 6) != 0 || strchr(" \t", heading[6]) == NULL) {
        *section = (struct ini_section){&run_keys, reader->config, reader->line_of, ""};
        snprintf(section->name, sizeof section->name, "%s", heading);
        return keys_section(&run_keys, heading, error, error_bytes);
    }
    const char *name = heading + 6 + strspn(heading + 6, " \t");
    struct stream_config *stream =
        config_add_stream(reader->config, *name == '\0' ? "stream" : name, error, error_bytes);
    if (stream == NULL)
        return false;
    int *line_of = reader->stream_line_of[stream - reader->config->stream];
    *section = (struct ini_section){&stream_keys, stream, line_of, "stream"};
    return true;
}

/* Names the line of the key, when the file sets it. */
static void report_conflict(const struct reader *reader, const char *path,
                            const struct config_conflict *conflict, char *error, size_t error_bytes)
{
    bool of_run = conflict->stream < 0;
    const int *line_of = of_run ? reader->line_of : reader->stream_line_of[conflict->stream];
    int key = keys_find(of_run ? &run_keys : &stream_keys, conflict->section, conflict->key);
    ini_report(path, line_of[key], conflict->section, conflict->key, conflict->sentence, error,
               error_bytes);
}

bool config_read(const char *path, struct config *config, char *error, size_t error_bytes)
{
    static struct reader reader; /* too large for a stack */
    struct config_conflict conflict;
    const struct ini ini = {find_section, &reader};
    memset(&reader, 0, sizeof reader);
    reader.config = config;
    if (!ini_read(path, &ini, error, error_bytes))
        return false;
    if (config->stream_count == 0 &&
        config_add_stream(config, "stream", error, error_bytes) == NULL)
        return false;
    if (config_check(config, &conflict))
        return true;
    report_conflict(&reader, path, &conflict, error, error_bytes);
    return false;
}
