/*
 * Mispredicted branches, bounded from above: each branch goes through a predictor of a kind that
 * processors had in 1998, when one with these parts was published (Kessler, "The Alpha 21264
 * Microprocessor", IEEE Micro 19/2, 1999). What is sold since then mispredicts less often.
 *
 * A conditional branch is guessed by how it went before, by how it went after the same outcomes of
 * the last twelve branches, or by whichever of the two was right more often. An indirect jump or
 * call is guessed to go where it went last. A return is guessed right: its stack is not simulated.
 */
#ifndef PLANECAST_SINGLESTEP_BRANCHES_H
#define PLANECAST_SINGLESTEP_BRANCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BRANCH_HISTORY 12 /* outcomes */

enum branch_kind { BRANCH_NONE, BRANCH_CONDITIONAL, BRANCH_INDIRECT, BRANCH_ALWAYS };

struct branch {
    uint8_t kind;    /* enum branch_kind */
    uint8_t length;  /* bytes, of a conditional one */
    uint8_t alone;   /* 0 … 3: from 2 on it is guessed taken, by itself */
    uint8_t choice;  /* 0 … 3: from 2 on the history is believed */
    uint16_t number; /* its place in the table: an address would differ from run to run */
    uint64_t target;
};

struct predictor {
    uint32_t history;
    uint8_t pattern[1u << BRANCH_HISTORY << 4]; /* 0 … 3, by history and number */
};

/* What the instruction is that begins with these bytes. */
struct branch branch_of(const uint8_t *bytes, size_t size);

/* Whether the branch at `address` was taken, now that the next instruction is known. */
bool branch_taken(const struct branch *b, uint64_t address, uint64_t next);

/* Whether it was guessed wrong. */
bool predictor_missed(struct predictor *p, struct branch *b, uint64_t address, uint64_t next);

#endif
