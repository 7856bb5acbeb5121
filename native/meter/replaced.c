/* SPDX-License-Identifier: Apache-2.0 */
#include "replaced.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include "dpdk.h"
#include "symbols.h"

/* Not every library of ours has each of them. */
#pragma weak rte_eth_dev_configure
#pragma weak rte_eth_dev_info_get
#pragma weak rte_eth_dev_set_mtu
#pragma weak rte_eth_rx_queue_setup
#pragma weak rte_eth_tx_queue_setup
#pragma weak rte_get_tsc_hz
#pragma weak rte_mempool_create_empty

enum { JUMP = 14 }; /* jmp *0(%rip), and where to */

struct replaced {
    const char *name;
    void *ours;
    uint8_t *entry; /* of the program's; NULL: as it was */
    int lifted;
    uint8_t kept[JUMP], jump[JUMP];
};

#define REPLACED(function)                                                                         \
    {                                                                                              \
        .name = #function, .ours = (void *)&(function)                                             \
    }
static struct replaced all[] = {
    REPLACED(rte_eth_dev_configure),    REPLACED(rte_eth_dev_info_get),
    REPLACED(rte_eth_dev_set_mtu),      REPLACED(rte_eth_rx_queue_setup),
    REPLACED(rte_eth_tx_queue_setup),   REPLACED(rte_get_tsc_hz),
    REPLACED(rte_mempool_create_empty),
};

#if defined(__x86_64__)
static bool put(uint8_t *entry, const uint8_t *code)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)entry & ~(page - 1);
    size_t bytes = (uintptr_t)entry + JUMP - start;
    if (mprotect((void *)start, bytes, PROT_READ | PROT_WRITE | PROT_EXEC) != 0)
        return false;
    memcpy(entry, code, JUMP);
    mprotect((void *)start, bytes, PROT_READ | PROT_EXEC);
    VALGRIND_DISCARD_TRANSLATIONS(entry, JUMP);
    return true;
}

/* Functions begin at multiples of 16 bytes, so that a short one has room for a jump as well. */
static uint8_t *entry_of(const struct replaced *one)
{
    size_t bytes = 0;
    uint8_t *entry = symbols_address(one->name, &bytes);
    bool room = bytes >= JUMP || (bytes > 0 && ((uintptr_t)entry & 15) == 0);
    return one->ours != NULL && one->ours != entry && room ? entry : NULL;
}

__attribute__((constructor)) static void replace_all(void)
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    if (!dpdk_within())
        return;
    for (size_t i = 0; i < RTE_DIM(all); i++) {
        struct replaced *one = &all[i];
        uint8_t *entry = entry_of(one);
        if (entry == NULL)
            continue;
        memcpy(one->kept, entry, JUMP);
        memcpy(one->jump, jump, sizeof jump);
        memcpy(one->jump + sizeof jump, &one->ours, sizeof one->ours);
        if (put(entry, one->jump))
            one->entry = entry;
    }
}
#else
static bool put(uint8_t *entry, const uint8_t *code)
{
    (void)entry, (void)code;
    return false;
}
#endif

struct replaced *replaced_lift(const char *name)
{
    for (size_t i = 0; i < RTE_DIM(all); i++) {
        struct replaced *one = &all[i];
        if (one->entry == NULL || strcmp(one->name, name) != 0)
            continue;
        if (one->lifted++ == 0)
            put(one->entry, one->kept);
        return one;
    }
    return NULL;
}

void replaced_lay(struct replaced *lifted)
{
    if (lifted != NULL && --lifted->lifted == 0)
        put(lifted->entry, lifted->jump);
}
