/* SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"

#include <errno.h>
#include <inttypes.h>
#include <rte_memory.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { SMALL_PAGE_BYTES = 4096, LARGE_PAGE_BYTES = 2 << 20 };

struct area {
    uint8_t *start;
    size_t bytes;
    uint64_t page_bytes; /* as EAL knows it */
};

static int find_area(const struct rte_memseg_list *list, void *opaque)
{
    struct area *area = opaque;
    if (list->external || area->bytes > list->len)
        return 0;
    *area = (struct area){list->base_va, list->len, list->page_sz};
    return 0;
}

uint64_t pages_free_mib(void)
{
    FILE *file = fopen("/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "r");
    uint64_t pages = 0;
    if (file == NULL)
        return 0;
    if (fscanf(file, "%" SCNu64, &pages) != 1)
        pages = 0;
    fclose(file);
    return pages * (LARGE_PAGE_BYTES >> 20);
}

/* Copies the pages of `from` that were ever touched; the others read as zero in both. */
static void copy_touched(uint8_t *to, uint8_t *from, size_t bytes, unsigned char *touched)
{
    for (size_t page = 0; page < bytes / SMALL_PAGE_BYTES; page++) {
        if ((touched[page] & 1) == 0)
            continue;
        memcpy(to + page * SMALL_PAGE_BYTES, from + page * SMALL_PAGE_BYTES, SMALL_PAGE_BYTES);
    }
}

bool pages_enlarge(char *error, size_t error_bytes)
{
    struct area area = {0};
    rte_memseg_list_walk(find_area, &area);
    if (area.bytes == 0 || area.page_bytes >= LARGE_PAGE_BYTES)
        return true;
    unsigned char *touched = malloc(area.bytes / SMALL_PAGE_BYTES);
    if (touched == NULL || mincore(area.start, area.bytes, touched) != 0) {
        free(touched);
        return true; /* nothing was changed: small pages it is */
    }
    /* An old size of 0 asks for a second view of a shared mapping: the first one stays until
     * replaced. */
    uint8_t *old = mremap(area.start, 0, area.bytes, MREMAP_MAYMOVE);
    bool fine = old != MAP_FAILED;
    if (fine) {
        void *fresh = mmap(area.start, area.bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
        fine = fresh == area.start;
        if (!fine)
            snprintf(error, error_bytes, "DPDK's memory can't be remapped: %s", strerror(errno));
    }
    if (fine) {
        madvise(area.start, area.bytes, MADV_HUGEPAGE);
        copy_touched(area.start, old, area.bytes, touched);
        munmap(old, area.bytes);
    }
    free(touched);
    return fine || old == MAP_FAILED;
}

/* Sums a field of /proc/self/smaps (KiB) over the mappings that lie in the area. */
static uint64_t smaps_kib(const struct area *area, const char *field)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    char line[512];
    uint64_t sum = 0;
    bool inside = false;
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof line, file) != NULL) {
        uintptr_t first = 0, end = 0;
        uint64_t kib = 0;
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &first, &end) == 2) {
            inside = first < (uintptr_t)area->start + area->bytes && end > (uintptr_t)area->start;
        } else if (inside && strncmp(line, field, strlen(field)) == 0 &&
                   sscanf(line + strlen(field), ": %" SCNu64, &kib) == 1) {
            sum += kib;
        }
    }
    fclose(file);
    return sum;
}

const char *pages_in_use(void)
{
    struct area area = {0};
    rte_memseg_list_walk(find_area, &area);
    if (area.page_bytes >= LARGE_PAGE_BYTES)
        return "2MiB";
    uint64_t used = smaps_kib(&area, "Rss");
    uint64_t large = smaps_kib(&area, "AnonHugePages") + smaps_kib(&area, "ShmemPmdMapped");
    if (large * 20 >= used * 19)
        return "2MiB";
    return large == 0 ? "4KiB" : "mixed";
}
