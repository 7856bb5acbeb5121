#include "kernels.h"

#include "clock.h"
#include "memory.h"

uint64_t kernel_chase(void ***at, uint64_t hops)
{
    void **p = *at;
    uint64_t before = clock_cycles();
    for (uint64_t i = 0; i < hops; i += 8) {
        p = *p;
        p = *p;
        p = *p;
        p = *p;
        p = *p;
        p = *p;
        p = *p;
        p = *p;
    }
    __asm__ volatile("" : : "r"(p)); /* the chain is needed before the clock is read */
    uint64_t cycles = clock_cycles() - before;
    *at = p;
    return cycles;
}

static inline __attribute__((always_inline)) uint64_t chase_width(void **at[KERNEL_MAX_WIDTH],
                                                                  unsigned width, uint64_t hops)
{
    void **p[KERNEL_MAX_WIDTH];
    for (unsigned j = 0; j < width; j++)
        p[j] = at[j];
    uint64_t before = clock_cycles();
    for (uint64_t i = 0; i < hops; i += width) {
#pragma GCC unroll 32
        for (unsigned j = 0; j < width; j++)
            p[j] = *p[j];
    }
    for (unsigned j = 0; j < width; j++)
        __asm__ volatile("" : : "r"(p[j]));
    uint64_t cycles = clock_cycles() - before;
    for (unsigned j = 0; j < width; j++)
        at[j] = p[j];
    return cycles;
}

uint64_t kernel_chase_many(void **at[KERNEL_MAX_WIDTH], unsigned width, uint64_t hops)
{
    /* A constant width each, so that the pointers stand in registers where there are any. */
    switch (width) {
    case 1:
        return chase_width(at, 1, hops);
    case 2:
        return chase_width(at, 2, hops);
    case 4:
        return chase_width(at, 4, hops);
    case 8:
        return chase_width(at, 8, hops);
    case 16:
        return chase_width(at, 16, hops);
    default:
        return chase_width(at, KERNEL_MAX_WIDTH, hops);
    }
}

uint64_t kernel_prefetch(const char *base, uint64_t lines, unsigned width, uint64_t count,
                         uint64_t *seed)
{
    const char *place[KERNEL_MAX_WIDTH];
    uint64_t random = *seed;
    uint64_t before = clock_cycles();
    for (uint64_t i = 0; i < count; i += width) {
        for (unsigned j = 0; j < width; j++) {
            /* A linear congruence is random enough for a place, and costs two operations. */
            random = random * 6364136223846793005u + 1442695040888963407u;
            place[j] = base + (((random >> 32) * lines) >> 32) * LINE_BYTES;
            __builtin_prefetch(place[j]);
        }
        uint64_t sum = 0;
        for (unsigned j = 0; j < width; j++)
            sum += *(const volatile uint64_t *)place[j];
        random ^= sum;
    }
    __asm__ volatile("" : : "r"(random));
    uint64_t cycles = clock_cycles() - before;
    *seed = random;
    return cycles;
}

typedef uint64_t vector __attribute__((vector_size(32)));

uint64_t kernel_stream(const char *from, uint64_t bytes)
{
    const vector *v = (const vector *)from;
    vector a = {0}, b = {0}, c = {0}, d = {0};
    uint64_t before = clock_cycles();
    for (uint64_t i = 0; i < bytes / sizeof(vector); i += 16) {
        a += v[i] + v[i + 1] + v[i + 2] + v[i + 3];
        b += v[i + 4] + v[i + 5] + v[i + 6] + v[i + 7];
        c += v[i + 8] + v[i + 9] + v[i + 10] + v[i + 11];
        d += v[i + 12] + v[i + 13] + v[i + 14] + v[i + 15];
    }
    a += b + c + d;
    __asm__ volatile("" : : "r"(a[0] + a[1] + a[2] + a[3]));
    return clock_cycles() - before;
}

uint64_t kernel_additions(uint64_t count)
{
    uint64_t sum = 0, one = 1;
    uint64_t before = clock_cycles();
    for (uint64_t i = 0; i < count; i += 64) {
        /* From a register: some cores add constants without executing them. */
        __asm__ volatile(".rept 64\n\taddq %1, %0\n\t.endr" : "+r"(sum) : "r"(one) : "cc");
    }
    return clock_cycles() - before;
}

void kernel_touch(const char *from, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += LINE_BYTES)
        (void)*(const volatile char *)(from + i);
}
