/*
 * planecast-singlestep: counts the instructions of a program between two SIGSTOPs that it raises,
 * by running it one instruction at a time.
 *
 * The exact count, with every instruction set that the CPU has, on machines without counters: this
 * takes ten seconds for some hundred thousand packets' instructions, so keep the run short. Only
 * the main thread is stepped. Signal handlers that run in between count too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "maps.h"
#include "report.h"
#include "stepper.h"
#include "tracee.h"

enum { DONE = 0, FAILED = 1, BAD_INPUT = 2, MISSING = 3, INTERRUPTED = 130 };

struct options {
    const char *prefix;
    const char *output;
    char **command;
};

static void on_signal(int number)
{
    (void)number;
    tracee_interrupted = 1;
}

static void usage(FILE *out)
{
    fputs(
        "planecast-singlestep --output FILE [--symbols PREFIX] -- PROGRAM ARGUMENTS\n"
        "  --output FILE     where the counts go, as JSON\n"
        "  --symbols PREFIX  functions whose inclusive counts are kept (default stage_)\n"
        "PROGRAM raises SIGSTOP before and after what is to be counted. Exit codes: the program's\n"
        "own; 1 it did not stop twice, 2 bad option, 3 ptrace is not allowed, 130 interrupted.\n",
        out);
}

static struct options parse(int argc, char **argv)
{
    static const struct option names[] = {{"symbols", required_argument, NULL, 's'},
                                          {"output", required_argument, NULL, 'o'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct options o = {.prefix = "stage_"};
    int option;
    /* '+': the program's own options are not ours. */
    while ((option = getopt_long(argc, argv, "+", names, NULL)) != -1) {
        if (option == 's')
            o.prefix = optarg;
        else if (option == 'o')
            o.output = optarg;
        else {
            usage(option == 'h' ? stdout : stderr);
            exit(option == 'h' ? DONE : BAD_INPUT);
        }
    }
    o.command = argv + optind;
    if (o.output == NULL || o.command[0] == NULL) {
        fprintf(stderr, "planecast-singlestep: %s is missing\n",
                o.output == NULL ? "--output" : "the program");
        usage(stderr);
        exit(BAD_INPUT);
    }
    return o;
}

static int gone(const struct tracee *t, enum tracee_event event, const char *before)
{
    if (event == TRACEE_INTERRUPTED)
        return INTERRUPTED;
    if (event == TRACEE_LOST) {
        fprintf(stderr,
                "planecast-singlestep: ptrace: %s; containers need the SYS_PTRACE "
                "capability, and kernel.yama.ptrace_scope below 2\n",
                strerror(errno));
        return MISSING;
    }
    fprintf(stderr,
            "planecast-singlestep: the program ended with %d before its %s SIGSTOP; start it so "
            "that it raises both\n",
            t->status, before);
    return t->status != 0 ? t->status : FAILED;
}

/* Steps to the second SIGSTOP. The maps are read there: all that was loaded is there still. */
static enum tracee_event count(struct stepper *s, struct tracee *t)
{
    uint64_t instruction, stack;
    enum tracee_event event = TRACEE_STEPPED;
    while (event == TRACEE_STEPPED) {
        if (!tracee_pointers(t, &instruction, &stack))
            return TRACEE_LOST;
        if (!stepper_step(s, instruction, stack)) {
            errno = ENOMEM;
            return TRACEE_LOST;
        }
        event = tracee_step(t);
    }
    return event;
}

static bool write_file(const char *path, const struct stepper *s, const struct maps *maps,
                       double seconds)
{
    FILE *out = fopen(path, "w");
    bool good = out != NULL && report_write(out, s, maps, seconds);
    if (out != NULL)
        good = fclose(out) == 0 && good;
    if (!good)
        fprintf(stderr, "planecast-singlestep: %s: %s\n", path, strerror(errno));
    return good;
}

/* From the first SIGSTOP to the file with the counts. */
static int count_between(struct tracee *t, const struct options *options)
{
    static struct stepper stepper = {.read = tracee_read};
    struct timespec start, end;
    struct maps maps;
    stepper.process = t;
    if (!stepper_start(&stepper) || !maps_read(&maps, t->pid)) {
        perror("planecast-singlestep");
        return FAILED;
    }
    if (report_find_stages(&stepper, &maps, options->prefix) <= 0) {
        fprintf(stderr,
                "planecast-singlestep: %s has no function %s…, or too many; is it stripped?\n",
                maps.program, options->prefix);
        return BAD_INPUT;
    }
    maps_free(&maps);
    tracee_join_cpu(t);
    clock_gettime(CLOCK_MONOTONIC, &start);
    enum tracee_event event = count(&stepper, t);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (event != TRACEE_STOPPED)
        return gone(t, event, "second");
    tracee_leave_cpu(t);
    double seconds =
        (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9;
    bool good = maps_read(&maps, t->pid) && write_file(options->output, &stepper, &maps, seconds);
    maps_free(&maps);
    stepper_free(&stepper);
    return good ? DONE : FAILED;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct sigaction action = {.sa_handler = on_signal}; /* no SA_RESTART: waiting must end */
    struct tracee tracee;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!tracee_start(&tracee, options.command)) {
        perror("planecast-singlestep: fork");
        return FAILED;
    }
    enum tracee_event event = tracee_run(&tracee);
    if (event != TRACEE_STOPPED)
        return gone(&tracee, event, "first");
    int code = count_between(&tracee, &options);
    if (code != DONE) {
        tracee_kill(&tracee);
        return code;
    }
    do
        event = tracee_run(&tracee);
    while (event == TRACEE_STOPPED); /* further SIGSTOPs mean nothing */
    return event == TRACEE_ENDED ? tracee.status : gone(&tracee, event, "last");
}
