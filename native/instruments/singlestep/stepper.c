#include "stepper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 65536u /* a forwarding loop runs through some ten thousand addresses */

bool stepper_start(struct stepper *s)
{
    s->capacity = FIRST_CAPACITY;
    s->place = calloc(s->capacity, sizeof(*s->place));
    return s->place != NULL;
}

void stepper_free(struct stepper *s)
{
    free(s->place);
    s->place = NULL;
}

bool stepper_add_stage(struct stepper *s, const char *name, uint64_t entry)
{
    if (s->stages == STEPPER_MAX_STAGES)
        return false;
    struct stage *stage = &s->stage[s->stages++];
    *stage = (struct stage){.entry = entry};
    snprintf(stage->name, sizeof(stage->name), "%s", name);
    return true;
}

/* Intel's manual, volume 2, "REP": the prefix means a repetition before these opcodes only. */
bool stepper_repeats(const uint8_t *bytes, size_t size)
{
    bool rep = false;
    for (size_t i = 0; i < size; i++) {
        uint8_t b = bytes[i];
        if (b == 0xf2 || b == 0xf3)
            rep = true;
        else if (b == 0x66 || b == 0x67 || b == 0x26 || b == 0x2e || b == 0x36 || b == 0x3e ||
                 b == 0x64 || b == 0x65 || (b & 0xf0) == 0x40)
            continue; /* other prefixes */
        else
            return rep && ((b >= 0x6c && b <= 0x6f) || (b >= 0xa4 && b <= 0xa7) ||
                           (b >= 0xaa && b <= 0xaf));
    }
    return false;
}

static struct place *slot_of(struct place *places, size_t capacity, uint64_t address)
{
    size_t i = (address * 0x9e3779b97f4a7c15u >> 32) & (capacity - 1);
    while (places[i].address != 0 && places[i].address != address)
        i = (i + 1) & (capacity - 1);
    return &places[i];
}

static bool grow(struct stepper *s)
{
    size_t capacity = s->capacity * 2;
    struct place *places = calloc(capacity, sizeof(*places));
    if (places == NULL)
        return false;
    for (size_t i = 0; i < s->capacity; i++)
        if (s->place[i].address != 0)
            *slot_of(places, capacity, s->place[i].address) = s->place[i];
    free(s->place);
    s->place = places;
    s->capacity = capacity;
    return true;
}

static void first_seen(struct stepper *s, struct place *place, uint64_t address)
{
    uint8_t bytes[15] = {0};
    *place = (struct place){.address = address, .stage = -1};
    for (size_t i = 0; i < s->stages; i++)
        if (s->stage[i].entry == address)
            place->stage = (int32_t)i;
    size_t size = s->read(s->process, address, bytes, sizeof(bytes));
    place->repeats = stepper_repeats(bytes, size);
    place->branch = branch_of(bytes, size);
    place->branch.number = (uint16_t)s->places;
    s->places++;
}

/* Begins a stage, unless this is a jump back to the entry of the one that is active anyway. */
static bool enter(struct stepper *s, int32_t stage, uint64_t stack)
{
    if (s->depth > 0 && s->active[s->depth - 1].stage == stage &&
        s->active[s->depth - 1].stack == stack)
        return true;
    if (s->depth == STEPPER_MAX_DEPTH)
        return false;
    s->active[s->depth].stage = stage;
    s->active[s->depth].stack = stack;
    s->depth++;
    s->stage[stage].calls++;
    return true;
}

static struct tally *tally_of(struct stepper *s, int32_t stage)
{
    return stage >= 0 ? &s->stage[stage].tally : NULL;
}

static void add(struct tally *t, uint64_t instruction, uint64_t last, bool jumped)
{
    t->instructions++;
    t->jumps += jumped;
    t->windows_16 += jumped || instruction / 16 != last / 16;
    t->windows_32 += jumped || instruction / 32 != last / 32;
}

/* The instruction before was a branch, maybe, and only now it is known where it went: whether it
 * was taken. */
static bool resolve(struct stepper *s, uint64_t next)
{
    struct place *before = slot_of(s->place, s->capacity, s->last);
    if (s->last == 0)
        return false;
    if (predictor_missed(&s->predictor, &before->branch, s->last, next)) {
        struct tally *own = tally_of(s, s->last_stage);
        s->total.mispredictions++;
        if (own != NULL)
            own->mispredictions++;
    }
    return branch_taken(&before->branch, s->last, next);
}

bool stepper_step(struct stepper *s, uint64_t instruction, uint64_t stack)
{
    struct place *place = slot_of(s->place, s->capacity, instruction);
    if (place->address == 0) {
        if (s->places * 2 >= s->capacity) {
            if (!grow(s))
                return false;
            place = slot_of(s->place, s->capacity, instruction);
        }
        first_seen(s, place, instruction);
    }
    if (place->repeats && s->last == instruction)
        return true; /* the next iteration of the same instruction */
    bool jumped = resolve(s, instruction);
    while (s->depth > 0 && stack > s->active[s->depth - 1].stack)
        s->depth--;
    if (place->stage >= 0 && !enter(s, place->stage, stack))
        return false;
    int32_t stage = s->depth > 0 ? s->active[s->depth - 1].stage : -1;
    struct tally *own = tally_of(s, stage);
    add(&s->total, instruction, s->last, jumped);
    if (own != NULL)
        add(own, instruction, s->last, jumped);
    place->instructions++;
    s->last = instruction;
    s->last_stage = stage;
    return true;
}
