/* SPDX-License-Identifier: Apache-2.0 */
#include "dpdk.h"

#include <assert.h>
#include <dlfcn.h>
#include <link.h>
#include <rte_version.h>
#include <stdio.h>
#include <stdlib.h>

#include "symbols.h"

/* Layouts change with the ABI, in November. Those of 22.11 and of 23.11 to 26.07 differ in these;
 * of what else is used here, rte_mbuf, the link and the offloads of queues have stayed, and
 * statistics got shorter at their end. */
struct layout {
    size_t rx, rx_queues, tx, tx_queues; /* of rte_eth_fp_ops */
    size_t longest_frame;                /* of rte_eth_dev_info */
    size_t conf_bytes;                   /* of rte_eth_conf */
};
static const struct layout of_22_11 = {0, 24, 64, 88, 36, 2272};
static const struct layout since_23_11 = {16, 0, 80, 64, 40, 2280};
static const struct layout unknown;
enum { FIRST = 2211, CHANGED = 2311, LAST = 2610, PORT_BYTES = 128, STATS_BYTES = 16384 };

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

void dpdk_absent(const char *name)
{
    fprintf(stderr, "planecast: the program calls %s, which is not found in it\n", name);
    abort();
}

bool dpdk_within(void)
{
    static int known; /* 0: not yet; 1: it is; 2: it is not */
    if (known == 0 && dlsym(RTLD_NEXT, "rte_version") != NULL)
        known = 2;
    else if (known == 0 && symbols_address("rte_version", NULL) != NULL)
        known = 1;
    return known == 1;
}

const char *dpdk_version(void)
{
    const char *(*version)(void) = DPDK(rte_version);
    return version != NULL ? version() : NULL;
}

/* All queues' functions. A program has a copy of its own of a library's variables. */
static char *fast_paths(void)
{
    static char *found;
    if (found == NULL)
        found = dlsym(RTLD_DEFAULT, "rte_eth_fp_ops");
    if (found == NULL)
        found = symbols_address("rte_eth_fp_ops", NULL);
    return found;
}

const char *dpdk_lacks(void)
{
    return fast_paths() == NULL                      ? "rte_eth_fp_ops"
           : DPDK(rte_eth_dev_is_valid_port) == NULL ? "rte_eth_dev_is_valid_port"
           : DPDK(rte_eth_link_get_nowait) == NULL   ? "rte_eth_link_get_nowait"
           : DPDK(rte_eth_stats_get) == NULL         ? "rte_eth_stats_get"
           : DPDK(rte_get_tsc_hz) == NULL            ? "rte_get_tsc_hz"
                                                     : NULL;
}

static const struct layout *layout(void)
{
    static const struct layout *found;
    const char *version;
    unsigned year, month;
    if (found != NULL || (version = dpdk_version()) == NULL)
        return found != NULL ? found : &unknown;
    const struct layout *looked = &unknown;
    /* "DPDK 24.11.1", with a distribution's own words after it. */
    if (sscanf(version, RTE_VER_PREFIX " %u.%u", &year, &month) == 2) {
        unsigned release = 100 * year + month;
        if (release >= FIRST && release <= LAST && dpdk_lacks() == NULL)
            looked = release < CHANGED ? &of_22_11 : &since_23_11;
    }
    return found = looked;
}

bool dpdk_known(void)
{
    return layout() != &unknown;
}

uint16_t dpdk_ports(void)
{
    static uint16_t found;
    Dl_info object;
    const ElfW(Sym) *symbol = NULL;
    size_t bytes = 0;
    if (found != 0)
        return found;
    if (dladdr1(fast_paths(), &object, (void **)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL)
        bytes = symbol->st_size;
    else
        symbols_address("rte_eth_fp_ops", &bytes);
    size_t ports = bytes / PORT_BYTES;
    return found = (uint16_t)(ports == 0 ? RTE_MAX_ETHPORTS : RTE_MIN(ports, UINT16_MAX));
}

bool dpdk_stats(uint16_t port, struct rte_eth_stats *stats)
{
    union {
        struct rte_eth_stats ours;
        char room[STATS_BYTES]; /* as many queues as another build of DPDK counts apart */
    } theirs;
    if (DPDK(rte_eth_stats_get)(port, &theirs.ours) != 0)
        return false;
    *stats = theirs.ours;
    return true;
}

struct fast_path dpdk_fast_path(uint16_t port)
{
    char *at = fast_paths() + (size_t)port * PORT_BYTES;
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
