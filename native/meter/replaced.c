/* SPDX-License-Identifier: Apache-2.0 */
#include "replaced.h"

#include <pthread.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mempool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

#include "dpdk.h"
#include "symbols.h"

/* Not every library of ours has each of them. */
#pragma weak rte_eth_dev_configure
#pragma weak rte_eth_dev_get_supported_ptypes
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
    REPLACED(rte_eth_dev_configure),  REPLACED(rte_eth_dev_get_supported_ptypes),
    REPLACED(rte_eth_dev_info_get),   REPLACED(rte_eth_dev_set_mtu),
    REPLACED(rte_eth_rx_queue_setup), REPLACED(rte_eth_tx_queue_setup),
    REPLACED(rte_get_tsc_hz),         REPLACED(rte_mempool_create_empty),
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

/* A function that is shorter than a jump may have room for one behind it, up to the next. */
static uint8_t *entry_of(const struct replaced *one)
{
    size_t bytes = 0;
    uint8_t *entry = symbols_address(one->name, &bytes);
    bool own = one->ours == NULL || one->ours == entry;
    bool room = bytes >= JUMP || (((uintptr_t)entry & 15) == 0 && !symbols_begin(entry, JUMP));
    return own || bytes == 0 || !room ? NULL : entry;
}

static bool wanted(const struct replaced *one)
{
    return one->ours != (void *)&rte_get_tsc_hz || getenv("PLANECAST_SLOWER") != NULL;
}

__attribute__((constructor)) static void replace_all(void)
{
    static const uint8_t jump[] = {0xff, 0x25, 0, 0, 0, 0};
    if (!dpdk_within())
        return;
    for (size_t i = 0; i < RTE_DIM(all); i++) {
        struct replaced *one = &all[i];
        uint8_t *entry = wanted(one) ? entry_of(one) : NULL;
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

static pthread_mutex_t lifting = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

static struct replaced *find(const char *name)
{
    for (size_t i = 0; i < RTE_DIM(all); i++)
        if (all[i].entry != NULL && strcmp(all[i].name, name) == 0)
            return &all[i];
    return NULL;
}

static void put_or_end(const struct replaced *one, const uint8_t *code)
{
    if (put(one->entry, code))
        return;
    fprintf(stderr, "planecast: %s can't be written to any more\n", one->name);
    abort();
}

bool replaced_over(const char *name)
{
    return find(name) != NULL;
}

struct replaced *replaced_lift(const char *name)
{
    struct replaced *one = find(name);
    if (one == NULL)
        return NULL;
    pthread_mutex_lock(&lifting);
    if (one->lifted++ == 0)
        put_or_end(one, one->kept);
    return one;
}

void replaced_lay(struct replaced *lifted)
{
    if (lifted == NULL)
        return;
    if (--lifted->lifted == 0)
        put_or_end(lifted, lifted->jump);
    pthread_mutex_unlock(&lifting);
}
