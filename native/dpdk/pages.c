/* SPDX-License-Identifier: Apache-2.0 */
#include "pages.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <rte_memory.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

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
static void copy_touched(uint8_t *to, const uint8_t *from, size_t bytes,
                         const unsigned char *touched)
{
    for (size_t page = 0; page < bytes / SMALL_PAGE_BYTES; page++) {
        if ((touched[page] & 1) == 0)
            continue;
        memcpy(to + page * SMALL_PAGE_BYTES, from + page * SMALL_PAGE_BYTES, SMALL_PAGE_BYTES);
    }
}

static bool sleeps(const char *thread)
{
    char path[300], state = 'S'; /* one that ended disturbs nobody either */
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return true;
    if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 'S';
    fclose(file);
    return state == 'S';
}

static bool others_sleep(void)
{
    DIR *folder = opendir("/proc/self/task");
    bool all = true;
    if (folder == NULL)
        return true;
    for (struct dirent *entry = readdir(folder); entry != NULL && all; entry = readdir(folder)) {
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != gettid())
            all = sleeps(entry->d_name);
    }
    closedir(folder);
    return all;
}

/* A driver may have given EAL's interrupt thread something to do: what it wrote while we copy would
 * be lost. It is through in no time. */
static void wait_until_others_sleep(void)
{
    const struct timespec moment = {.tv_nsec = 200000};
    int quiet = 0;
    for (int turn = 0; turn < 1000 && quiet < 3; turn++) {
        nanosleep(&moment, NULL);
        quiet = others_sleep() ? quiet + 1 : 0;
    }
}

/* Anonymous memory as long as the area and at that distance from a large page's start, so that
 * large pages stay whole when it moves there; NULL when there is none. */
static uint8_t *reserve_like(const struct area *area)
{
    size_t bytes = area->bytes + LARGE_PAGE_BYTES;
    uint8_t *start = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (start == MAP_FAILED)
        return NULL;
    size_t surplus = ((uintptr_t)area->start - (uintptr_t)start) % LARGE_PAGE_BYTES;
    if (surplus > 0)
        munmap(start, surplus);
    munmap(start + surplus + area->bytes, LARGE_PAGE_BYTES - surplus);
    return start + surplus;
}

bool pages_enlarge(char *error, size_t error_bytes)
{
    struct area area = {0};
    rte_memseg_list_walk(find_area, &area);
    if (area.bytes == 0 || area.page_bytes >= LARGE_PAGE_BYTES)
        return true;
    unsigned char *touched = malloc(area.bytes / SMALL_PAGE_BYTES);
    uint8_t *fresh = reserve_like(&area);
    bool fine = true; /* while nothing was changed, small pages are no error */
    if (touched != NULL && fresh != NULL) {
        madvise(fresh, area.bytes, MADV_HUGEPAGE);
        wait_until_others_sleep();
        if (mincore(area.start, area.bytes, touched) == 0) {
            copy_touched(fresh, area.start, area.bytes, touched);
            /* In one step: at no time is there anything else to read at these addresses. */
            fine = mremap(fresh, area.bytes, area.bytes, MREMAP_MAYMOVE | MREMAP_FIXED,
                          area.start) == area.start;
            if (!fine)
                snprintf(error, error_bytes, "DPDK's memory can't be moved: %s", strerror(errno));
            fresh = NULL;
        }
    }
    if (fresh != NULL)
        munmap(fresh, area.bytes);
    free(touched);
    return fine;
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
