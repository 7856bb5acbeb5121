/* SPDX-License-Identifier: Apache-2.0
 *
 * The rate of the program's clock while an instrument slows it down PLANECAST_SLOWER times: what it
 * does by time it then does once in as many packets as natively. DPDK's function of this name is
 * asked here first. EAL itself waits by it, and continues with the true one.
 */
#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t (*real)(void);
static uintptr_t eal_start, eal_end;
static double slower = 1;

static int find_eal(struct dl_phdr_info *object, size_t size, void *unused)
{
    uintptr_t wanted = (uintptr_t)real;
    (void)size, (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        uintptr_t start = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
        if (wanted >= start && wanted - start < object->dlpi_phdr[i].p_memsz) {
            eal_start = start;
            eal_end = start + object->dlpi_phdr[i].p_memsz;
            return 1;
        }
    }
    return 0;
}

__attribute__((visibility("default"))) uint64_t rte_get_tsc_hz(void)
{
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (real == NULL) {
        real = (uint64_t(*)(void))dlsym(RTLD_NEXT, "rte_get_tsc_hz");
        dl_iterate_phdr(find_eal, NULL);
        const char *given = getenv("PLANECAST_SLOWER");
        slower = given != NULL ? strtod(given, NULL) : 1;
    }
    bool by_eal = caller >= eal_start && caller < eal_end;
    return by_eal ? real() : (uint64_t)((double)real() * slower);
}
