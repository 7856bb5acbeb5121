#include "branches.h"

static bool is_prefix(uint8_t b)
{
    return b == 0x66 || b == 0x67 || b == 0xf2 || b == 0xf3 || b == 0x26 || b == 0x2e ||
           b == 0x36 || b == 0x3e || b == 0x64 || b == 0x65 || (b & 0xf0) == 0x40;
}

/* Intel's manual, volume 2: Jcc is 70+cc cb or 0F 80+cc cd; LOOP and JCXZ are E0 … E3 cb; an
 * indirect call is FF /2, an indirect jump FF /4; direct ones are E8, E9, EB, returns C2 and C3. */
struct branch branch_of(const uint8_t *bytes, size_t size)
{
    struct branch found = {.kind = BRANCH_NONE};
    size_t i = 0;
    while (i < size && is_prefix(bytes[i]))
        i++;
    uint8_t first = i < size ? bytes[i] : 0, second = i + 1 < size ? bytes[i + 1] : 0;
    if ((first & 0xf0) == 0x70 || (first & 0xfc) == 0xe0)
        found = (struct branch){.kind = BRANCH_CONDITIONAL, .length = (uint8_t)(i + 2)};
    else if (first == 0x0f && (second & 0xf0) == 0x80)
        found = (struct branch){.kind = BRANCH_CONDITIONAL, .length = (uint8_t)(i + 6)};
    else if (first == 0xff && ((second >> 3 & 7) == 2 || (second >> 3 & 7) == 4))
        found.kind = BRANCH_INDIRECT;
    else if (first == 0xe8 || first == 0xe9 || first == 0xeb || (first & 0xfe) == 0xc2)
        found.kind = BRANCH_ALWAYS;
    return found;
}

static void learn(uint8_t *counter, bool up)
{
    if (up && *counter < 3)
        (*counter)++;
    else if (!up && *counter > 0)
        (*counter)--;
}

bool branch_taken(const struct branch *b, uint64_t address, uint64_t next)
{
    return b->kind == BRANCH_CONDITIONAL ? next != address + b->length : b->kind != BRANCH_NONE;
}

bool predictor_missed(struct predictor *p, struct branch *b, uint64_t address, uint64_t next)
{
    if (b->kind == BRANCH_INDIRECT) {
        bool missed = next != b->target;
        b->target = next;
        return missed;
    }
    if (b->kind != BRANCH_CONDITIONAL)
        return false;
    bool taken = branch_taken(b, address, next);
    uint8_t *pattern = &p->pattern[(b->number ^ p->history << 4) % sizeof(p->pattern)];
    bool alone = b->alone >= 2, after = *pattern >= 2;
    bool missed = (b->choice >= 2 ? after : alone) != taken;
    if (alone != after)
        learn(&b->choice, after == taken);
    learn(&b->alone, taken);
    learn(pattern, taken);
    p->history = (p->history << 1 | taken) & ((1u << BRANCH_HISTORY) - 1);
    return missed;
}
