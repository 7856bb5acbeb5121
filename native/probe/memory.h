/* Memory of a chosen page size. */
#ifndef PLANECAST_PROBE_MEMORY_H
#define PLANECAST_PROBE_MEMORY_H

#include <stdint.h>

#define LINE_BYTES 64u
#define SMALL_PAGE 4096u
#define HUGE_PAGE  (2u << 20)

enum page_kind { PAGE_4KIB, PAGE_2MIB };

extern const char *const page_names[];

struct memory {
    char *base; /* aligned to 2 MiB */
    uint64_t bytes;
    double huge_share; /* of it, how much stands in 2 MiB pages, 0 to 1 */
};

/*
 * Maps and touches zeroed memory, in 2 MiB pages where the kernel gives them (transparent
 * hugepages: no root, no reservation), or in 4 KiB pages and no other. Ends the program with exit
 * code 3 if there is no memory. It is never given back: the program ends soon.
 */
struct memory memory_map(uint64_t bytes, enum page_kind kind);

#endif
