/* SPDX-License-Identifier: Apache-2.0
 *
 * Times in which nothing came back while the port refused what was sent: what stands between the
 * two ports did not run. Packets that were refused during such a time are counted with it.
 */
#ifndef PLANECAST_GENERATOR_SILENCE_H
#define PLANECAST_GENERATOR_SILENCE_H

#include "stalls.h"

struct silence {
    uint64_t longer_than,
        away;               /* cycles: of a silence; of a turn in which we did not run ourselves */
    uint64_t from, until;   /* of the run: what of a silence lies in it counts */
    uint64_t turn;          /* when the turn before began */
    uint64_t last;          /* when packets came, or we ran again */
    uint64_t dropped;       /* packets refused by the time that packets came */
    uint64_t quiet, of_run; /* cycles since then in which we ran, and those of the run */
    uint64_t full_until;    /* what was behind such a time has not made room yet */
    uint64_t count, cycles, longest, lost;
} __attribute__((aligned(64)));

static inline void silence_begin(struct silence *silence, const struct stalls *stalls,
                                 uint64_t longer_than)
{
    *silence = (struct silence){.longer_than = longer_than,
                                .away = stalls->longer_than,
                                .from = stalls->from,
                                .until = stalls->until};
}

/* Nothing came from `last` to `end`, and we looked. */
static inline void silence_lasts(struct silence *silence, uint64_t end)
{
    uint64_t from = silence->last > silence->from ? silence->last : silence->from;
    uint64_t until = end < silence->until ? end : silence->until;
    silence->quiet += end - silence->last;
    silence->of_run += until > from ? until - from : 0;
}

/* It is over at `now`, when `dropped` packets were refused in all. For a moment the ring is as full
 * as it was: what it refuses then is of the silence, too. */
static inline void silence_over(struct silence *silence, uint64_t now, uint64_t dropped)
{
    if (dropped < silence->dropped) /* the run began to count */
        silence->dropped = 0;
    uint64_t refused = dropped - silence->dropped;
    if (refused > 0 && silence->of_run > 0 && silence->quiet > silence->longer_than) {
        silence->count++;
        silence->cycles += silence->of_run;
        silence->longest = silence->of_run > silence->longest ? silence->of_run : silence->longest;
        silence->full_until = now + silence->longer_than / 4;
    }
    if (now <= silence->full_until)
        silence->lost += refused;
    silence->quiet = silence->of_run = 0;
    silence->last = now;
    silence->dropped = dropped;
}

/* In each turn: whether packets came, and how many were refused so far. While we were away nothing
 * was looked at. */
static inline void silence_turn(struct silence *silence, uint64_t now, bool came, uint64_t dropped)
{
    uint64_t before = silence->turn;
    bool away = now > before + silence->away;
    silence->turn = now;
    if (before == 0) {
        silence->last = now;
        silence->dropped = dropped;
        return;
    }
    if (away) {
        silence_lasts(silence, before);
        silence->last = now;
    }
    if (!came)
        return;
    silence_lasts(silence, now);
    silence_over(silence, now, dropped);
}

/* Nobody looks any more. */
static inline void silence_end(struct silence *silence, uint64_t now, uint64_t dropped)
{
    if (silence->turn == 0)
        return;
    silence_lasts(silence, now);
    silence_over(silence, now, dropped);
}

#endif
