/* SPDX-License-Identifier: Apache-2.0 */
#include "dpdk.h"

#include <assert.h>
#include <dlfcn.h>
#include <rte_version.h>
#include <stdio.h>

#include "symbols.h"

/* Layouts change with the ABI, in November. Those of 22.11 and of 23.11 to 26.07 differ in these;
 * whatever else is used here has stayed (rte_mbuf, statistics, link, offloads of queues). */
struct layout {
    size_t rx, rx_queues, tx, tx_queues; /* of rte_eth_fp_ops */
    size_t longest_frame;                /* of rte_eth_dev_info */
    size_t conf_bytes;                   /* of rte_eth_conf */
};
static const struct layout of_22_11 = {0, 24, 64, 88, 36, 2272};
static const struct layout since_23_11 = {16, 0, 80, 64, 40, 2280};
enum { FIRST = 2211, CHANGED = 2311, LAST = 2610, PORT_BYTES = 128 };

#if RTE_VERSION < RTE_VERSION_NUM(23, 11, 0, 0)
#define OURS(of_22_11, since_23_11) (of_22_11)
#else
#define OURS(of_22_11, since_23_11) (since_23_11)
#endif
static_assert(offsetof(struct rte_eth_fp_ops, rx_pkt_burst) == OURS(0, 16), "rx");
static_assert(offsetof(struct rte_eth_fp_ops, rxq.data) == OURS(24, 0), "rx_queues");
static_assert(offsetof(struct rte_eth_fp_ops, tx_pkt_burst) == OURS(64, 80), "tx");
static_assert(offsetof(struct rte_eth_fp_ops, txq.data) == OURS(88, 64), "tx_queues");
static_assert(offsetof(struct rte_eth_dev_info, max_rx_pktlen) == OURS(36, 40), "longest_frame");
static_assert(sizeof(struct rte_eth_conf) == OURS(2272, 2280), "conf_bytes");
static_assert(sizeof(struct rte_eth_fp_ops) == PORT_BYTES, "PORT_BYTES");

void *dpdk_symbol(const char *name)
{
    void *exported = dlsym(RTLD_NEXT, name);
    return exported != NULL ? exported : symbols_address(name, NULL);
}

bool dpdk_within(void)
{
    return dlsym(RTLD_NEXT, "rte_version") == NULL && symbols_address("rte_version", NULL) != NULL;
}

const char *dpdk_version(void)
{
    return DPDK(rte_version) != NULL ? DPDK(rte_version)() : NULL;
}

static const struct layout *layout(void)
{
    static const struct layout *found;
    static bool looked;
    const char *version;
    unsigned year, month;
    if (looked || (version = dpdk_version()) == NULL)
        return found;
    /* "DPDK 24.11.1", with a distribution's own words after it. */
    if (sscanf(version, RTE_VER_PREFIX " %u.%u", &year, &month) == 2) {
        unsigned release = 100 * year + month;
        if (release >= FIRST && release <= LAST)
            found = release < CHANGED ? &of_22_11 : &since_23_11;
    }
    looked = true;
    return found;
}

bool dpdk_known(void)
{
    return layout() != NULL;
}

struct fast_path dpdk_fast_path(uint16_t port)
{
    static char *ports;
    if (ports == NULL) /* a program has a copy of its own of a library's variables */
        ports = dlsym(RTLD_DEFAULT, "rte_eth_fp_ops");
    if (ports == NULL)
        ports = symbols_address("rte_eth_fp_ops", NULL);
    char *at = ports + (size_t)port * PORT_BYTES;
    return (struct fast_path){.rx = (eth_rx_burst_t *)(at + layout()->rx),
                              .tx = (eth_tx_burst_t *)(at + layout()->tx),
                              .rx_queues = *(void ***)(at + layout()->rx_queues),
                              .tx_queues = *(void ***)(at + layout()->tx_queues)};
}

uint32_t *dpdk_longest_frame(struct rte_eth_dev_info *info)
{
    return (uint32_t *)((char *)info + layout()->longest_frame);
}

size_t dpdk_conf_bytes(void)
{
    return layout()->conf_bytes;
}
