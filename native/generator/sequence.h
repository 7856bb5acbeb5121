/* SPDX-License-Identifier: Apache-2.0
 *
 * What became of a stream's sequence numbers, 0, 1, 2 …: received once, again, or out of order.
 *
 * A packet is reordered when its number is below the highest seen (RFC 4737, 3.3: a packet is
 * reordered when s < NextExp). A bitmap of the last SEQUENCE_WINDOW numbers shows a late packet
 * from a second copy; what is later than that can't be reported, is counted as `too_late`, and is
 * lost.
 */
#ifndef PLANECAST_GENERATOR_SEQUENCE_H
#define PLANECAST_GENERATOR_SEQUENCE_H

#include <stdint.h>

enum { SEQUENCE_WINDOW = 1 << 16 }; /* a multiple of 64 */

struct sequence {
    uint64_t next;       /* one more than the highest seen */
    uint64_t unique;     /* numbers that came */
    uint64_t reordered;  /* of them */
    uint64_t duplicates; /* packets whose number had come */
    uint64_t too_late;
    uint64_t extent; /* the furthest that one came behind the highest, in packets */
    uint64_t seen[SEQUENCE_WINDOW / 64];
};

static inline uint64_t *sequence_word(struct sequence *sequence, uint64_t number)
{
    return &sequence->seen[number % SEQUENCE_WINDOW / 64];
}

/* A gap, or a packet that is not the next. */
void sequence_see_other(struct sequence *sequence, uint64_t number);

static inline void sequence_see(struct sequence *sequence, uint64_t number)
{
    if (__builtin_expect(number != sequence->next, 0)) {
        sequence_see_other(sequence, number);
        return;
    }
    uint64_t *word = sequence_word(sequence, number);
    uint64_t bit = UINT64_C(1) << number % 64;
    *word = (bit == 1 ? 0 : *word) | bit;
    sequence->next = number + 1;
    sequence->unique++;
}

/* `count` numbers from `first` on, one after the other. */
static inline void sequence_see_run(struct sequence *sequence, uint64_t first, uint32_t count)
{
    for (; first != sequence->next && count > 0; count--) /* behind a gap the rest is in order */
        sequence_see(sequence, first++);
    if (count == 0)
        return;
    for (uint64_t number = first, end = first + count; number < end;) {
        uint64_t *word = sequence_word(sequence, number);
        uint32_t bit = (uint32_t)(number % 64);
        uint64_t here = 64 - bit < end - number ? 64 - bit : end - number;
        uint64_t bits = (here == 64 ? UINT64_MAX : (UINT64_C(1) << here) - 1) << bit;
        *word = (bit == 0 ? 0 : *word) | bits;
        number += here;
    }
    sequence->next = first + count;
    sequence->unique += count;
}

/* The whole number of which only the lower 32 bits came: the nearest to the highest seen. */
static inline uint64_t sequence_whole(const struct sequence *sequence, uint32_t lower)
{
    int64_t ahead = (int32_t)(lower - (uint32_t)sequence->next);
    /* None is below 0: so far ahead at the start is far ahead. */
    if (ahead < 0 && sequence->next < (uint64_t)-ahead)
        return lower;
    return sequence->next + (uint64_t)ahead;
}

#endif
