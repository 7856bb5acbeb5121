/* SPDX-License-Identifier: Apache-2.0 */
#include "canary.h"

#include <rte_cycles.h>
#include <stddef.h>
#include <sys/mman.h>

enum { LINE_WORDS = 16, LINES = CHASE_BYTES / 64 };

bool canary_open(struct canary *canary, uint64_t seed)
{
    void *memory =
        mmap(NULL, CHASE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    madvise(memory, CHASE_BYTES,
            MADV_HUGEPAGE); /* as good as it gets: without, TLB misses join in */
    canary->next = memory;
    canary->position = 0;
    for (uint32_t i = 0; i < LINES; i++)
        canary->next[i * LINE_WORDS] = i;
    for (uint32_t i = LINES - 1; i > 0; i--) { /* Sattolo: one cycle through all lines */
        seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
        uint32_t j = (uint32_t)((seed >> 32) * i >> 32);
        uint32_t swap = canary->next[i * LINE_WORDS];
        canary->next[i * LINE_WORDS] = canary->next[j * LINE_WORDS];
        canary->next[j * LINE_WORDS] = swap;
    }
    return true;
}

void canary_close(struct canary *canary)
{
    if (canary->next != NULL)
        munmap(canary->next, CHASE_BYTES);
    canary->next = NULL;
}

/* Reads the clock when all that came before is done: rdtsc alone would overtake the chase's last
 * hops. */
static inline uint64_t fenced_tsc(void)
{
    __builtin_ia32_lfence();
    uint64_t now = rte_rdtsc();
    __builtin_ia32_lfence();
    return now;
}

double canary_compute(void)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6;
    uint64_t start = fenced_tsc();
    uint64_t i = CANARY_ROUNDS;
    /* The loop as a whole is ours and aligned: where the compiler put it decided on 2.5 or 2.8
     * cycles. */
    __asm__ volatile(
        ".p2align 6\n"
        "1: add %6, %0\n xor %6, %0\n add %6, %1\n xor %6, %1\n add %6, %2\n xor %6, %2\n"
        "add %6, %3\n xor %6, %3\n add %6, %4\n xor %6, %4\n add %6, %5\n xor %6, %5\n"
        "dec %6\n jnz 1b\n"
        : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(i));
    return (double)(fenced_tsc() - start) / CANARY_ROUNDS;
}

double canary_chase(struct canary *canary)
{
    uint32_t position = canary->position;
    uint64_t start = fenced_tsc();
    for (int i = 0; i < CHASE_HOPS; i++)
        position = canary->next[position * LINE_WORDS];
    double cycles = (double)(fenced_tsc() - start);
    canary->position = position;
    return cycles / CHASE_HOPS;
}
