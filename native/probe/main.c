/*
 * planecast-probe: what this machine's caches, memory and cores do, measured and not looked up.
 *
 * Prints one JSON object on stdout: the kernel's claims, and every slice of every point with the
 * canaries around it. Read from here: main, then points.c (what is measured and how), chase.c
 * (where).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canary.h"
#include "chase.h"
#include "clock.h"
#include "interruptions.h"
#include "points.h"
#include "report.h"
#include "siblings.h"
#include "state.h"
#include "topology.h"
#include "transfer.h"

#define MAX_PAIRS     8
#define MAX_TRANSFERS 2 /* of the pairs: they take up to a second */

static volatile int interrupted;

struct options {
    int cpu;
    double seconds;
    uint64_t max_mib;
    bool state;
    size_t watched;
    int watch[INTERRUPTIONS_CPUS];
    size_t players; /* two with --ping-pong */
    int player[INTERRUPTIONS_CPUS];
};

static void on_signal(int number)
{
    (void)number;
    interrupted = 1;
}

static void usage(FILE *out)
{
    fputs(
        "planecast-probe [--cpu N] [--seconds S] [--max-mib M]\n"
        "planecast-probe --state [--cpu N] [--max-mib M]\n"
        "planecast-probe --interruptions CPU,... [--seconds S]\n"
        "planecast-probe --ping-pong CPU,CPU\n"
        "  --cpu N      the CPU to measure (default: the last one allowed)\n"
        "  --seconds S  of measuring, 1 to 600 (default 12); building the chases comes before\n"
        "  --max-mib M  largest working set, 16 to 1024 MiB (default 256, less on a small "
        "machine)\n"
        "  --state      only what changes with the host's other tenants, in some four seconds: "
        "how\n"
        "               long lines stay in the shared cache, memory alone and loaded, page walks\n"
        "  --interruptions CPU,...  only spin there, all at once, for S seconds (0.001 to 10,\n"
        "               default 1), and show when these CPUs were preempted\n"
        "  --ping-pong CPU,CPU  only what a cache line costs from one of the two to the other, in "
        "some\n"
        "               milliseconds\n"
        "Prints JSON. Exit codes: 0 done, 2 bad option, 3 something the machine lacks, "
        "130 interrupted.\n",
        out);
}

/* A number within bounds, or exit code 2 with what is allowed. */
static double number(const char *option, const char *text, double low, double high)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= low && value <= high)) {
        fprintf(stderr, "planecast-probe: %s: '%s' is not a number from %g to %g\n", option, text,
                low, high);
        exit(2);
    }
    return value;
}

/* A list of CPUs such as 0,1, or exit code 2. */
static size_t cpu_list(const char *option, char *text, int *cpus)
{
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, ",", &rest); word != NULL; word = strtok_r(NULL, ",", &rest)) {
        if (count == INTERRUPTIONS_CPUS) {
            fprintf(stderr, "planecast-probe: %s: more than %d CPUs\n", option, INTERRUPTIONS_CPUS);
            exit(2);
        }
        cpus[count++] = (int)number(option, word, 0, CPU_SETSIZE - 1);
    }
    return count;
}

static struct options parse(int argc, char **argv)
{
    static const struct option names[] = {{"cpu", required_argument, NULL, 'c'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"max-mib", required_argument, NULL, 'm'},
                                          {"interruptions", required_argument, NULL, 'i'},
                                          {"ping-pong", required_argument, NULL, 'p'},
                                          {"state", no_argument, NULL, 't'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct options o = {.cpu = -1, .max_mib = 256};
    const char *seconds = NULL;
    int option;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        switch (option) {
        case 'c':
            o.cpu = (int)number("--cpu", optarg, 0, CPU_SETSIZE - 1);
            break;
        case 's':
            seconds = optarg;
            break;
        case 'i':
            o.watched = cpu_list("--interruptions", optarg, o.watch);
            break;
        case 'p':
            o.players = cpu_list("--ping-pong", optarg, o.player);
            break;
        case 't':
            o.state = true;
            break;
        case 'm':
            o.max_mib = (uint64_t)number("--max-mib", optarg, 16, 1024);
            break;
        case 'h':
            usage(stdout);
            exit(0);
        default:
            usage(stderr);
            exit(2);
        }
    }
    if (optind < argc) {
        fprintf(stderr, "planecast-probe: '%s' is no option\n", argv[optind]);
        usage(stderr);
        exit(2);
    }
    if (o.players != 0 && (o.players != 2 || o.player[0] == o.player[1])) {
        fprintf(stderr, "planecast-probe: --ping-pong: name two CPUs, such as 0,1\n");
        exit(2);
    }
    bool watches = o.watched > 0;
    o.seconds = watches ? 1 : 12;
    if (seconds != NULL)
        o.seconds = number("--seconds", seconds, watches ? 0.001 : 1, watches ? 10 : 600);
    return o;
}

/* Binds this thread to the CPU asked for, the last allowed one by default; `allowed` as it was. */
static int choose_cpu(int asked, cpu_set_t *allowed)
{
    int cpu = asked;
    if (sched_getaffinity(0, sizeof(*allowed), allowed) != 0) {
        perror("planecast-probe: sched_getaffinity");
        exit(3);
    }
    for (int i = 0; asked < 0 && i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, allowed))
            cpu = i;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof(one), &one) != 0) {
        fprintf(stderr, "planecast-probe: --cpu %d: %s; see /sys/devices/system/cpu/online\n", cpu,
                strerror(errno));
        exit(2);
    }
    return cpu;
}

static size_t measure_pairs(int cpu, const cpu_set_t *allowed, struct sibling_test *pairs)
{
    size_t count = 0;
    /* What the kernel lists comes first: of many CPUs only a few are tried. */
    for (int pass = 0; pass < 2; pass++)
        for (int other = 0; other < CPU_SETSIZE && count < MAX_PAIRS && !interrupted; other++)
            if (other != cpu && CPU_ISSET(other, allowed) &&
                topology_listed_siblings(cpu, other) == (pass == 0))
                count += siblings_measure(&pairs[count], cpu, other);
    return count;
}

static size_t measure_transfers(const struct sibling_test *pairs, size_t count,
                                struct transfer_test *transfers)
{
    size_t done = 0;
    for (size_t i = 0; i < count && done < MAX_TRANSFERS && !interrupted; i++)
        done += transfer_measure(&transfers[done], pairs[i].cpu, pairs[i].other);
    return done;
}

/* The whole program with --interruptions. */
static int watch(const struct options *o)
{
    if (interruptions_watch(stdout, o->watch, o->watched, o->seconds, &interrupted))
        return interrupted ? 130 : 0;
    fprintf(stderr, "planecast-probe: --interruptions: %s; see /sys/devices/system/cpu/online\n",
            strerror(errno));
    return 2;
}

/* The whole program with --ping-pong, bound to the first of the two, on which canaries follow. */
static int ping_pong(const int *player)
{
    float slices[PING_PONG_SLICES];
    struct clock_pair start = clock_both();
    size_t count = transfer_ping_pong(player[1], slices);
    struct clock_pair end = clock_both();
    if (count == 0) {
        fprintf(stderr, "planecast-probe: --ping-pong: no thread can run on CPU %d\n", player[1]);
        return 2;
    }
    printf("{\"cpu\": %d, \"other\": %d, \"tsc_hz\": %.0f, \"half_round_trips\": [", player[0],
           player[1], clock_tsc_hz(start, end));
    for (size_t i = 0; i < count; i++)
        printf("%s%.1f", i > 0 ? ", " : "", slices[i]);
    printf("], \"canary\": [");
    for (size_t i = 0; i < PING_PONG_CANARIES; i++)
        printf("%s%.4f", i > 0 ? ", " : "", canary_run());
    printf("]}\n");
    return 0;
}

/* Another CPU than this one; -1: there is none. */
static int another(int cpu, const cpu_set_t *allowed)
{
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (i != cpu && CPU_ISSET(i, allowed))
            return i;
    return -1;
}

static void build(const struct topology *t, uint64_t max, struct chase_sets sets[2])
{
    /* Private caches are as large as they say; of a shared one we get another size anyway. */
    uint64_t edges[TOPOLOGY_CACHES], sizes[CHASE_MAX_SETS];
    size_t count = 0;
    for (size_t i = 0; i < t->caches; i++)
        if (strcmp(t->cache[i].type, "Instruction") != 0 && t->cache[i].level < 3)
            edges[count++] = t->cache[i].bytes;
    size_t fine = chase_sizes(max, 3, edges, count, sizes);
    chase_build(&sets[PAGE_2MIB], PAGE_2MIB, sizes, fine);
    size_t coarse = chase_sizes(max, 2, NULL, 0, sizes);
    chase_build(&sets[PAGE_4KIB], PAGE_4KIB, sizes, coarse);
}

int main(int argc, char **argv)
{
    static struct sibling_test pairs[MAX_PAIRS];
    static struct transfer_test transfers[MAX_TRANSFERS];
    static struct chase_sets sets[2];
    struct topology topology;
    struct points points = {0};
    cpu_set_t allowed;

    struct options options = parse(argc, argv);
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (options.watched > 0)
        return watch(&options);
    int cpu = choose_cpu(options.players > 0 ? options.player[0] : options.cpu, &allowed);
    if (options.players > 0)
        return ping_pong(options.player);
    topology_read(cpu, &topology);
    uint64_t available = topology_available_bytes(), max = options.max_mib << 20;
    while (available != 0 && max > (16u << 20) && max * 4 > available)
        max /= 2; /* both page kinds take some more than twice the largest set */
    if (options.state && !state_write(stdout, cpu, another(cpu, &allowed), max, &interrupted)) {
        fprintf(stderr, "planecast-probe: could not write the answer: %s\n", strerror(errno));
        return 1;
    }
    if (options.state)
        return interrupted ? 130 : 0;

    struct clock_pair start = clock_both();
    size_t pair_count = measure_pairs(cpu, &allowed, pairs);
    size_t transfer_count = measure_transfers(pairs, pair_count, transfers);
    build(&topology, max, sets);
    points_add(&points, &sets[PAGE_2MIB], PAGE_2MIB);
    points_add(&points, &sets[PAGE_4KIB], PAGE_4KIB);
    points_run(&points, clock_ns() + (uint64_t)(options.seconds * 1e9), &interrupted);
    struct clock_pair end = clock_both();

    struct report report = {.cpu = cpu,
                            .tsc_hz = clock_tsc_hz(start, end),
                            .seconds = (double)(end.ns - start.ns) * 1e-9,
                            .complete = !interrupted,
                            .huge_share = sets[PAGE_2MIB].largest.huge_share,
                            .topology = &topology,
                            .points = &points,
                            .pairs = pair_count,
                            .pair = pairs,
                            .transfers = transfer_count,
                            .transfer = transfers};
    if (!report_write(stdout, &report)) {
        fprintf(stderr, "planecast-probe: could not write the answer: %s\n", strerror(errno));
        return 1;
    }
    return interrupted ? 130 : 0;
}
