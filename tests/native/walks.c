/*
 * References to memory that are known: two functions called by one, marked for planecast-trace.so.
 *
 * stage_walk reads one word of each of LINES lines, stage_fill writes them; a round is both. From
 * the second round on each touch of the array is LINES - 1 lines away, and some for the stack.
 * stage_toss branches LINES times by coins that no history shows, without touching memory.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/prctl.h>

#define LINES  4096
#define ROUNDS 8

static volatile uint64_t *array;

__attribute__((noinline)) static void stage_walk(void)
{
    for (unsigned i = 0; i < LINES; i++)
        (void)array[8 * i];
}

__attribute__((noinline)) static void stage_fill(void)
{
    for (unsigned i = 0; i < LINES; i++)
        array[8 * i] = i;
}

static uint64_t coins = 88172645463325252u, heads;

/* xorshift64* (Vigna 2016): one coin a bit of its best ones. */
__attribute__((noinline)) static void stage_toss(void)
{
    uint64_t state = coins, found = 0;
    for (unsigned i = 0; i < LINES; i++) {
        state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
        if ((state * 0x2545f4914f6cdd1du) >> 63)
            __asm__ volatile("inc %0" : "+r"(found)); /* a branch, no conditional move */
    }
    coins = state;
    heads += found;
}

__attribute__((noinline)) static void round_of_both(void)
{
    stage_walk();
    stage_fill();
    stage_toss();
    __asm__ volatile(""); /* no tail call */
}

int main(void)
{
    array = aligned_alloc(64, 64 * LINES);
    prctl(0x706c616e, 1, 0, 0, 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (i == 1)
            prctl(0x706c616e, 2, 0, 0, 0);
        round_of_both();
    }
    prctl(0x706c616e, 3, 0, 0, 0);
    return 0;
}
