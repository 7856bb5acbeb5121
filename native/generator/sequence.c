/* SPDX-License-Identifier: Apache-2.0 */
#include "sequence.h"

#include <string.h>

/* Words are cleared when their first bit is entered: those of [next, number], number's own and
 * next's own included. */
static void jump(struct sequence *sequence, uint64_t number)
{
    if (number - sequence->next >= SEQUENCE_WINDOW) {
        memset(sequence->seen, 0, sizeof sequence->seen);
    } else {
        uint64_t first = (sequence->next + 63) / 64; /* next's own, when it begins there */
        for (uint64_t word = first; word <= number / 64; word++)
            sequence->seen[word % (SEQUENCE_WINDOW / 64)] = 0;
    }
    *sequence_word(sequence, number) |= UINT64_C(1) << number % 64;
    sequence->next = number + 1;
    sequence->unique++;
}

void sequence_see_other(struct sequence *sequence, uint64_t number)
{
    if (number >= sequence->next) {
        jump(sequence, number);
        return;
    }
    uint64_t behind = sequence->next - 1 - number;
    /* The oldest word was cleared up to its end when the newest was entered. */
    if (behind > SEQUENCE_WINDOW - 64) {
        sequence->too_late++;
        return;
    }
    uint64_t *word = sequence_word(sequence, number), bit = UINT64_C(1) << number % 64;
    if ((*word & bit) != 0) {
        sequence->duplicates++;
        return;
    }
    *word |= bit;
    sequence->unique++;
    sequence->reordered++;
    if (behind > sequence->extent)
        sequence->extent = behind;
}
