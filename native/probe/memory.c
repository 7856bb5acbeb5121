#define _GNU_SOURCE
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* Linux 6.1 */
#endif

const char *const page_names[] = {[PAGE_4KIB] = "4KiB", [PAGE_2MIB] = "2MiB"};

/* Bytes in 2 MiB pages of the mapping that holds this address, as /proc/self/smaps shows it. */
static uint64_t huge_bytes_at(const void *address)
{
    char line[256];
    unsigned long from, to, kib = 0;
    int inside = 0;
    FILE *file = fopen("/proc/self/smaps", "r");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
            inside = (unsigned long)address >= from && (unsigned long)address < to;
        else if (inside && sscanf(line, "AnonHugePages: %lu kB", &kib) == 1)
            break;
    }
    fclose(file);
    return (uint64_t)kib << 10;
}

struct memory memory_map(uint64_t bytes, enum page_kind kind)
{
    struct memory m = {.bytes = (bytes + HUGE_PAGE - 1) & ~(uint64_t)(HUGE_PAGE - 1)};
    char *raw =
        mmap(NULL, m.bytes + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED) {
        fprintf(stderr, "planecast-probe: no %llu MiB of memory: try a smaller --max-mib\n",
                (unsigned long long)(m.bytes >> 20));
        exit(3);
    }
    m.base = (char *)(((uintptr_t)raw + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    /* Refused advice is no error: huge_share says what came of it. */
    madvise(m.base, m.bytes, kind == PAGE_2MIB ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    memset(m.base, 0, m.bytes);
    if (kind == PAGE_2MIB) {
        madvise(m.base, m.bytes, MADV_COLLAPSE);
        m.huge_share = (double)huge_bytes_at(m.base) / (double)m.bytes;
        if (m.huge_share > 1)
            m.huge_share = 1; /* the kernel joined it with a neighbour */
    }
    return m;
}
