/* SPDX-License-Identifier: Apache-2.0
 *
 * The compute reference: what a core does with no packets, no tables and no memory beyond its L1
 * cache. Of the kinds of work that embedded benchmarks are made of (lists, matrices, a state
 * machine, a checksum), but with code and data of its own: its iterations are no CoreMark
 * iterations, and no factor turns one into the other.
 *
 * One iteration finds, reverses and sorts in a linked list, multiplies two small matrices of
 * integers, reads a text of numbers with a state machine, and takes a CRC of all results. It begins
 * from a seed, so its CRC is known beforehand.
 */
#ifndef PLANECAST_STAGES_KERNEL_H
#define PLANECAST_STAGES_KERNEL_H

#include <stdint.h>

enum { KERNEL_SEEDS = 16, KERNEL_NODES = 48, KERNEL_SIDE = 10, KERNEL_TEXT_BYTES = 240 };

struct kernel_node {
    struct kernel_node *next;
    int16_t value;
    uint16_t tag; /* its place in memory: shows whether sorting kept equals in order */
};

/* Below 4 KB: code, data and the packet of a burst fit an L1 cache together. */
struct kernel {
    struct kernel_node node[KERNEL_NODES];
    int16_t left[KERNEL_SIDE][KERNEL_SIDE], right[KERNEL_SIDE][KERNEL_SIDE];
    int32_t product[KERNEL_SIDE][KERNEL_SIDE];
    char text[KERNEL_TEXT_BYTES];
} __attribute__((aligned(64)));

/* One iteration; its CRC. */
uint32_t kernel_run(struct kernel *kernel, uint32_t seed);

/* Its parts, for those who test them: a list's order, the numbers that a text has by kind. */
struct kernel_node *kernel_sort(struct kernel_node *list);
struct kernel_node *kernel_reverse(struct kernel_node *list);

enum number_kind { NUMBER_NONE, NUMBER_WHOLE, NUMBER_FRACTION, NUMBER_HEX, NUMBER_BAD, NUMBERS };
void kernel_count_numbers(const char *text, uint32_t bytes, uint32_t *count);

/* CRC-32 (IEEE 802.3) of one word more. */
uint32_t kernel_crc(uint32_t crc, uint32_t word);

#endif
