/*
 * Attribution of instructions: fed with the instruction pointer and the stack pointer before every
 * instruction, it keeps exclusive counts by address and inclusive counts by stage.
 *
 * A stage is active from the moment the instruction pointer is at its entry, until the stack
 * pointer is above where it was then: its `ret` has popped the return address. What it calls
 * belongs to it. When stages nest, the innermost gets the instruction.
 *
 * A string instruction with a rep prefix traps after every iteration. It counts once, as in
 * hardware's counters of retired instructions; callgrind counts every iteration.
 *
 * Next to instructions it keeps what the frontend feels: mispredicted branches (branches.h), jumps,
 * and windows of 16 and of 32 bytes that instructions are fetched by, counted again after a jump.
 */
#ifndef PLANECAST_SINGLESTEP_STEPPER_H
#define PLANECAST_SINGLESTEP_STEPPER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "branches.h"

#define STEPPER_MAX_STAGES 256
#define STEPPER_MAX_DEPTH  64

/* What was counted of a part of the program. */
struct tally {
    uint64_t instructions;
    uint64_t mispredictions;
    uint64_t jumps;      /* branches that were taken: attributed to where they lead */
    uint64_t windows_16; /* bytes */
    uint64_t windows_32;
};

struct stage {
    char name[64];
    uint64_t entry; /* address in the process */
    struct tally tally;
    uint64_t calls;
};

struct place {
    uint64_t address; /* 0: empty */
    uint64_t instructions;
    int32_t stage; /* which stage begins here; -1: none */
    bool repeats;  /* a string instruction with a rep prefix */
    struct branch branch;
};

struct stepper {
    struct tally total;
    size_t stages;
    struct stage stage[STEPPER_MAX_STAGES];
    /* Where instructions were seen: open addressing, a power of two in size. */
    struct place *place;
    size_t places, capacity;
    uint64_t last;      /* the instruction before; 0: none */
    int32_t last_stage; /* which stage it was of; -1: none */
    struct predictor predictor;
    size_t depth;
    struct {
        int32_t stage;
        uint64_t stack;
    } active[STEPPER_MAX_DEPTH];
    /* Reads up to 15 bytes of the process: asked once for each new address. */
    size_t (*read)(void *process, uint64_t address, uint8_t *bytes, size_t size);
    void *process;
};

bool stepper_start(struct stepper *s);
void stepper_free(struct stepper *s);

/* Before the first step. False if there are too many. */
bool stepper_add_stage(struct stepper *s, const char *name, uint64_t entry);

/* One instruction, about to run. False if memory or the nesting ran out. */
bool stepper_step(struct stepper *s, uint64_t instruction, uint64_t stack);

/* Whether these bytes begin with a string instruction that has a rep prefix. */
bool stepper_repeats(const uint8_t *bytes, size_t size);

#endif
