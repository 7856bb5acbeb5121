/*
 * A program whose instructions are known, for the tests of the instruments that count them.
 *
 * counted --packets N --burst B --instrument callgrind|stop [--exit CODE] [--rep BYTES] [--coin 1]
 *         [--hang 1]
 *
 * A burst of n packets: stage_a runs 10·n + 5 instructions, stage_b 6·n + 9, of which 4·n in a
 * helper that it calls; stage_c is scalar C. The loop around them has costs of its own.
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <valgrind/callgrind.h>

/* 2 before the loop, 10 a packet, 2 nops and a ret after it: 5 a burst. */
__asm__(".text\n.globl stage_a\n.type stage_a, @function\nstage_a:\n"
        "mov %rdi, %rcx\n"
        "xor %eax, %eax\n"
        "1:\n"
        ".rept 8\n nop\n.endr\n"
        "dec %rcx\n"
        "jnz 1b\n"
        "nop\n nop\n"
        "ret\n"
        ".size stage_a, .-stage_a\n");

/* Called with the count in rcx: 4 a packet, less nothing; a ret. */
__asm__(".type helper, @function\nhelper:\n"
        "1:\n"
        "nop\n nop\n"
        "dec %rcx\n"
        "jnz 1b\n"
        "ret\n"
        ".size helper, .-helper\n");

/* push, mov, call, [helper: 4n + 1], mov, [2n], nop, pop, ret: 6n + 9 with the nop that is there.
 */
__asm__(".globl stage_b\n.type stage_b, @function\nstage_b:\n"
        "push %rbx\n"
        "mov %rdi, %rcx\n"
        "call helper\n"
        "mov %rdi, %rcx\n"
        "1:\n"
        "dec %rcx\n"
        "jnz 1b\n"
        "nop\n nop\n"
        "pop %rbx\n"
        "ret\n"
        ".size stage_b, .-stage_b\n");

void stage_a(uint64_t packets);
void stage_b(uint64_t packets);

static uint32_t table[4096];
static uint64_t rep_bytes;
static int coin;

__attribute__((noinline)) void stage_rep(uint64_t bytes)
{
    static char from[4096], to[4096];
    const char *source = from;
    char *target = to;
    __asm__ volatile("rep movsb" : "+S"(source), "+D"(target), "+c"(bytes) : : "memory");
}

__attribute__((noinline)) uint32_t stage_c(uint64_t packets, uint32_t seed)
{
    for (uint64_t i = 0; i < packets; i++) {
        seed = seed * 1664525u + 1013904223u;
        table[seed >> 20]++;
    }
    return seed;
}

/* A branch a packet that goes by chance. */
__attribute__((noinline)) uint32_t stage_coin(uint64_t packets, uint32_t seed)
{
    for (uint64_t i = 0; i < packets; i++) {
        seed = seed * 1664525u + 1013904223u;
        __asm__ volatile("test %0, %0\n jns 1f\n nop\n1:\n" : : "r"(seed) : "cc");
    }
    return seed;
}

__attribute__((noinline)) uint32_t forward_burst(uint64_t packets, uint32_t seed)
{
    stage_a(packets);
    stage_b(packets);
    if (rep_bytes > 0)
        stage_rep(rep_bytes);
    if (coin)
        seed = stage_coin(packets, seed);
    return stage_c(packets, seed);
}

__attribute__((noinline)) static uint32_t forward(uint64_t packets, uint64_t burst, int stop,
                                                  int hang)
{
    uint32_t seed = 1;
    if (stop)
        raise(SIGSTOP);
    else
        CALLGRIND_START_INSTRUMENTATION;
    for (uint64_t done = 0; done < packets; done += burst)
        seed = forward_burst(burst, seed);
    while (hang)
        pause();
    if (stop)
        raise(SIGSTOP);
    else
        CALLGRIND_STOP_INSTRUMENTATION;
    return seed;
}

int main(int argc, char **argv)
{
    uint64_t packets = 64, burst = 8;
    int stop = 0, code = 0, hang = 0;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--packets") == 0)
            packets = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--burst") == 0)
            burst = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--instrument") == 0)
            stop = strcmp(argv[i + 1], "stop") == 0;
        else if (strcmp(argv[i], "--exit") == 0)
            code = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--rep") == 0)
            rep_bytes = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--coin") == 0)
            coin = atoi(argv[i + 1]);
        else if (strcmp(argv[i], "--hang") == 0)
            hang = atoi(argv[i + 1]);
    }
    printf("%u\n", forward(packets, burst, stop, hang));
    return code;
}
