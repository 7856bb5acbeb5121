/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of the program's clock while an instrument slows it down PLANECAST_SLOWER times: what it
 * does by time it then does once in as many packets as natively. DPDK's function of this name is
 * asked here first. EAL itself waits by it, and continues with the true one.
 */
#include <dlfcn.h>
#include <link.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dpdk.h"
#include "symbols.h"

/* Of the library that `wanted` is in. */
struct span {
    uintptr_t wanted, start, end;
};

static int find(struct dl_phdr_info *object, size_t size, void *opaque)
{
    struct span *span = opaque;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        uintptr_t start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (span->wanted >= start && span->wanted - start < object->dlpi_phdr[i].p_memsz) {
            span->start = start;
            span->end = start + object->dlpi_phdr[i].p_memsz;
            return 1;
        }
    }
    return 0;
}

static bool named_as_eal(const char *function)
{
    static const char *const starts[] = {"rte_delay_", "rte_eal_", "eal_", "rte_keepalive_"};
    for (size_t i = 0; function != NULL && i < RTE_DIM(starts); i++)
        if (strncmp(function, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static bool by_eal(const void *caller)
{
    static struct span eal;
    if (dpdk_within())
        return named_as_eal(symbols_name(caller));
    if (eal.end == 0) {
        eal.wanted = (uintptr_t)DPDK(rte_get_tsc_hz);
        dl_iterate_phdr(find, &eal);
    }
    return (uintptr_t)caller >= eal.start && (uintptr_t)caller < eal.end;
}

/* Of threads that have started, many may ask at once: what EAL has found by then stays. */
__attribute__((visibility("default"))) uint64_t rte_get_tsc_hz(void)
{
    static uint64_t found;
    static double slower = 1;
    if (found == 0) {
        const char *given = getenv("PLANECAST_SLOWER");
        slower = given != NULL ? strtod(given, NULL) : 1;
        found = DPDK_ORIGINAL(rte_get_tsc_hz);
    }
    /* A thread asks again and again from one place. */
    static __thread const void *asked __attribute__((tls_model("initial-exec")));
    static __thread bool eal __attribute__((tls_model("initial-exec")));
    const void *caller = __builtin_return_address(0);
    if (slower == 1)
        return found;
    if (caller != asked) {
        asked = caller;
        eal = by_eal(caller);
    }
    return eal ? found : (uint64_t)((double)found * slower);
}
