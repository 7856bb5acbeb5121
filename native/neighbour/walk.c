/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE (2ull << 20)

/* xorshift64*: the same paths on every run. */
static uint32_t random_below(uint64_t *state, uint32_t bound)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    uint32_t top = (uint32_t)((*state * 0x2545f4914f6cdd1du) >> 32);
    return (uint32_t)(((uint64_t)top * bound) >> 32);
}

bool walk_map(struct walk *walk, uint64_t bytes)
{
    uint64_t wanted = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    if (walk->mapped >= wanted)
        return true;
    walk_unmap(walk);
    char *raw =
        mmap(NULL, wanted + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (raw == MAP_FAILED)
        return false;
    char *base = (char *)(((uintptr_t)raw + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    /* What lies next to the aligned part is given back, so that unmapping is of one range. */
    if (base > raw)
        munmap(raw, (size_t)(base - raw));
    if (base + wanted < raw + wanted + HUGE_PAGE)
        munmap(base + wanted, (size_t)(raw + HUGE_PAGE - base));
    madvise(base, wanted, MADV_HUGEPAGE); /* refused advice is no error */
    memset(base, 0, wanted);
    walk->base = base;
    walk->mapped = wanted;
    walk->lines = 0;
    return true;
}

void walk_unmap(struct walk *walk)
{
    if (walk->base != NULL)
        munmap(walk->base, walk->mapped);
    *walk = (struct walk){0};
}

/* Lines in the order that they are visited in: a shuffle (Fisher and Yates). */
static uint32_t *shuffled(uint32_t lines)
{
    uint32_t *order = malloc(lines * sizeof(*order));
    uint64_t state = 0x9e3779b97f4a7c15u;
    if (order == NULL)
        return NULL;
    for (uint32_t i = 0; i < lines; i++) {
        uint32_t other = random_below(&state, i + 1);
        order[i] = order[other];
        order[other] = i;
    }
    return order;
}

bool walk_build(struct walk *walk, uint64_t bytes, unsigned width)
{
    uint32_t lines = (uint32_t)(bytes / LINE_BYTES);
    if (!walk_map(walk, bytes))
        return false;
    if (walk->lines == lines && walk->width == width)
        return true;
    uint32_t *order = shuffled(lines);
    if (order == NULL)
        return false;
    for (uint32_t i = 0; i < lines; i++) {
        char *from = walk->base + (uint64_t)order[i] * LINE_BYTES;
        *(void **)(void *)from = walk->base + (uint64_t)order[(i + 1) % lines] * LINE_BYTES;
    }
    for (unsigned w = 0; w < width; w++) {
        uint64_t start = (uint64_t)lines * w / width;
        walk->at[w] = (void **)(void *)(walk->base + (uint64_t)order[start] * LINE_BYTES);
    }
    free(order);
    walk->lines = lines;
    walk->width = width;
    return true;
}

void walk_steps(struct walk *walk, unsigned steps)
{
    unsigned width = walk->width;
    void **at[MAX_WIDTH];
    memcpy(at, walk->at, sizeof at);
    for (unsigned step = 0; step < steps; step++)
        for (unsigned w = 0; w < width; w++)
            at[w] = *(void ***)at[w];
    memcpy(walk->at, at, sizeof at);
}
