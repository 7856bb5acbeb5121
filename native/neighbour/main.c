/* SPDX-License-Identifier: Apache-2.0
 *
 * planecast-neighbour [--cpu N]: reads requests (request.h), a line each, and answers each with a
 * line of JSON. A walk or a stream has been through its memory once when it is answered.
 *
 * The main thread only waits for requests, on the neighbour's own CPU: others' it leaves alone.
 */
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exit_code.h"
#include "json.h"
#include "request.h"
#include "requests.h"
#include "worker.h"

static atomic_bool interrupted;

static int usage(FILE *out, int code)
{
    fputs(
        "planecast-neighbour [--cpu N]\n"
        "Reads from stdin, a line each: walk|stream [bytes=B] [lines_per_s=R] [width=W] [write=1], "
        "spin, idle,\nstats, quit. Answers JSON. Exit codes: 0 done, 2 bad option, 3 something the "
        "machine lacks,\n130 interrupted.\n",
        out);
    return code;
}

static void put_done(struct worker *worker, const struct work *work)
{
    struct done done = worker_done(worker);
    printf("\"mode\": \"%s\", \"bytes\": %llu, \"lines\": %llu, \"seconds\": %.9f, "
           "\"lines_per_s\": %.1f",
           work_names[work->mode], (unsigned long long)work->bytes, (unsigned long long)done.lines,
           done.seconds, done.seconds > 0 ? (double)done.lines / done.seconds : 0.0);
}

/* False at the end. */
static bool answer(struct worker *worker, struct work *now, char *line)
{
    char error[160];
    struct work wanted;
    enum request request = request_parse(line, &wanted, error, sizeof error);
    if (request == REQUEST_QUIT)
        return false;
    if (request == REQUEST_STATS) {
        printf("{\"neighbour\": {");
        put_done(worker, now);
        printf("}}\n");
    } else if (request == REQUEST_WORK && worker_do(worker, &wanted)) {
        *now = wanted;
        printf("{\"begun\": \"%s\"}\n", work_names[now->mode]);
    } else {
        if (request == REQUEST_WORK) {
            *now = (struct work){0};
            snprintf(error, sizeof error, "no memory for %llu bytes",
                     (unsigned long long)wanted.bytes);
        }
        printf("{\"error\": ");
        json_put_string(stdout, error);
        printf("}\n");
    }
    return fflush(stdout) == 0;
}

/* The CPU that was asked for, -1 for any; ends the program for one that isn't there. */
static int parse(int argc, char **argv)
{
    static const struct option names[] = {{"cpu", required_argument, NULL, 'c'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option, cpu = -1;
    while ((option = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (option == 'h')
            exit(usage(stdout, EXIT_DONE));
        if (option != 'c')
            exit(usage(stderr, EXIT_BAD_INPUT));
        char *end;
        long value = strtol(optarg, &end, 10);
        cpu_set_t one;
        CPU_ZERO(&one);
        if (end != optarg && *end == '\0' && value >= 0 && value < CPU_SETSIZE)
            CPU_SET((size_t)value, &one);
        if (sched_setaffinity(0, sizeof one, &one) != 0) {
            fprintf(stderr, "planecast-neighbour: --cpu %s: no such CPU for this process\n",
                    optarg);
            exit(EXIT_BAD_INPUT);
        }
        cpu = (int)value;
    }
    if (optind < argc)
        exit(usage(stderr, EXIT_BAD_INPUT));
    return cpu;
}

int main(int argc, char **argv)
{
    static struct worker worker;
    static struct requests requests;
    struct work now = {0};
    char *line;
    int cpu = parse(argc, argv);
    if (!requests_catch_signals(&interrupted) || !worker_start(&worker, cpu)) {
        fputs("planecast-neighbour: no thread can be started\n", stderr);
        return EXIT_MISSING;
    }
    printf("{\"ready\": {\"cpu\": %d}}\n", cpu);
    fflush(stdout);
    requests_open(&requests, STDIN_FILENO);
    enum request_kind kind;
    while ((kind = requests_next(&requests, &line)) != REQUEST_END) {
        static char too_long[] = "a-request-that-is-too-long";
        if (!answer(&worker, &now, kind == REQUEST_LINE ? line : too_long))
            break;
    }
    worker_end(&worker);
    return atomic_load(&interrupted) ? EXIT_INTERRUPTED : EXIT_DONE;
}
