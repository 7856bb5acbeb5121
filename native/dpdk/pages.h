/* SPDX-License-Identifier: Apache-2.0
 *
 * Large pages without hugetlbfs.
 *
 * When no hugepages are free, EAL's memory is a memfd of 4 KiB pages, at an address that shares no
 * 2 MiB alignment with its file, so the kernel can't enlarge them. Right after EAL's start, when
 * little is in it, `pages_enlarge` copies it to anonymous memory with transparent huge pages, and
 * moves that to the same place in one step, while EAL's other threads sleep: a driver's interrupt
 * may have them read there. The memfd is needed only where another process or a device maps the
 * memory (virtio-user, VFIO): there it must not be called.
 */
#ifndef PLANECAST_PAGES_H
#define PLANECAST_PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Hugepages of 2 MiB that nobody uses, in MiB. */
uint64_t pages_free_mib(void);

/* False with a sentence in `error` when memory can't be used any more; small pages alone are no
 * error. */
bool pages_enlarge(char *error, size_t error_bytes);

/* What DPDK's memory stands on by now: "4KiB", "2MiB", or "mixed". */
const char *pages_in_use(void);

#endif
