/* SPDX-License-Identifier: Apache-2.0
 *
 * planecast-dataplane: a provider edge router on DPDK that can be asked for trials.
 *
 *   planecast-dataplane CONFIG.ini [--control | --packets N | --seconds S]
 *                       [--instrument callgrind|stop] [-- EAL ARGUMENTS]
 *   planecast-dataplane --keys
 *
 * Read on in stage.h (what a stage is), stages/ (one network function a file), lcore.c (the loop),
 * trial.c (how it is measured).
 */
#include <getopt.h>
#include <rte_eal.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer.h"
#include "eal.h"
#include "telemetry.h"

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_BAD_INPUT = 2,
    EXIT_MISSING = 3,
    EXIT_INTERRUPTED = 130
};

static struct dataplane dataplane;

static void on_signal(int number)
{
    (void)number;
    atomic_store(&dataplane.stop, true);
}

/* No SA_RESTART: a read of the next request ends, too. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

struct options {
    const char *config_path;
    bool control;
    uint64_t packets;
    double seconds;
};

static const char usage[] =
    "usage: planecast-dataplane CONFIG.ini [--control | --packets N | --seconds S]\n"
    "                           [--instrument callgrind|stop] [-- EAL ARGUMENTS]\n"
    "       planecast-dataplane --keys     every key of the configuration\n";

static int bad_usage(const char *what)
{
    fprintf(stderr, "planecast-dataplane: %s\n%s", what, usage);
    return EXIT_BAD_INPUT;
}

/* -1: go on; otherwise the exit code. */
static int read_options(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {{"control", no_argument, NULL, 'c'},
                                          {"packets", required_argument, NULL, 'p'},
                                          {"seconds", required_argument, NULL, 's'},
                                          {"instrument", required_argument, NULL, 'i'},
                                          {"keys", no_argument, NULL, 'k'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1) {
        char *end = NULL;
        switch (option) {
        case 'c':
            options->control = true;
            break;
        case 'p':
            options->packets = strtoull(optarg, &end, 10);
            if (*end != '\0' || options->packets == 0)
                return bad_usage("--packets: a number above 0");
            break;
        case 's':
            options->seconds = strtod(optarg, &end);
            if (*end != '\0' || !(options->seconds > 0))
                return bad_usage("--seconds: a number above 0");
            break;
        case 'i':
            if (strcmp(optarg, "callgrind") == 0)
                dataplane.instrument = INSTRUMENT_CALLGRIND;
            else if (strcmp(optarg, "stop") == 0)
                dataplane.instrument = INSTRUMENT_STOP;
            else
                return bad_usage("--instrument: callgrind or stop");
            break;
        case 'k':
            config_print_keys(stdout);
            return EXIT_DONE;
        case 'h':
            fputs(usage, stdout);
            return EXIT_DONE;
        default:
            fputs(usage, stderr);
            return EXIT_BAD_INPUT;
        }
    }
    if (optind >= argc)
        return bad_usage("no configuration file is named");
    options->config_path = argv[optind];
    if (!options->control && options->packets == 0 && options->seconds == 0)
        options->seconds = 10;
    return -1;
}

static int run_once(const struct options *options)
{
    struct trial trial = trial_default(&dataplane);
    struct window windows[LCORES_MAX];
    bool here = dataplane.instrument == INSTRUMENT_STOP;
    trial.packets = options->packets;
    trial.seconds = options->seconds;
    if (here)
        trial.traffic.lcores = 1;
    if (!trial_run(&dataplane, &trial, windows, here))
        return EXIT_FAILED;
    struct totals totals = dataplane_totals(&dataplane);
    answer_trial(stdout, &dataplane, &trial, windows, &totals);
    if (totals_conserved(&totals))
        return dataplane.stop ? EXIT_INTERRUPTED : EXIT_DONE;
    fprintf(stderr, "planecast-dataplane: packets in are not packets out and drops: a bug\n");
    return EXIT_FAILED;
}

static bool answer_request(const char *request, struct window **windows)
{
    char error[512];
    struct trial trial = trial_default(&dataplane);
    if (!trial_parse(&dataplane, request, &trial, error, sizeof error)) {
        answer_error(stdout, error);
        return true;
    }
    size_t count = (size_t)trial.windows * trial.traffic.lcores;
    struct window *larger = realloc(*windows, count * sizeof **windows);
    if (larger == NULL) {
        answer_error(stdout, "no memory for so many windows");
        return true;
    }
    *windows = larger;
    struct totals before = dataplane_totals(&dataplane);
    if (!trial_run(&dataplane, &trial, *windows, false)) {
        answer_error(stdout, "an lcore could not be started");
        return true;
    }
    struct totals after = dataplane_totals(&dataplane);
    struct totals ours = totals_since(&after, &before);
    answer_trial(stdout, &dataplane, &trial, *windows, &ours);
    return totals_conserved(&ours);
}

static int serve(void)
{
    char line[1024];
    struct window *windows = NULL;
    int code = EXIT_DONE;
    answer_ready(stdout, &dataplane);
    while (code == EXIT_DONE && !dataplane.stop && fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "quit", 4) == 0)
            break;
        if (strncmp(line, "trial", 5) == 0) {
            if (!answer_request(line + 5, &windows))
                code = EXIT_FAILED;
        } else {
            answer_error(stdout, "requests are: trial key=value …, quit");
        }
    }
    free(windows);
    return dataplane.stop ? EXIT_INTERRUPTED : code;
}

int main(int argc, char **argv)
{
    struct options options = {0};
    char error[512];
    int extra = argc; /* getopt would reorder EAL's words: it sees only what stands before -- */
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            extra = i;
            break;
        }
    }
    int code = read_options(extra, argv, &options);
    if (code >= 0)
        return code;
    config_defaults(&dataplane.config);
    if (!config_read(options.config_path, &dataplane.config, error, sizeof error)) {
        fprintf(stderr, "planecast-dataplane: %s\n", error);
        return EXIT_BAD_INPUT;
    }
    int extra_count = extra < argc ? argc - extra - 1 : 0;
    if (!eal_open(&dataplane.config, argv[0], extra_count, argv + argc - extra_count, error,
                  sizeof error)) {
        fprintf(stderr, "planecast-dataplane: %s\n", error);
        return EXIT_MISSING;
    }
    catch_signals();
    if (!dataplane_open(&dataplane, error, sizeof error)) {
        fprintf(stderr, "planecast-dataplane: %s\n", error);
        code = EXIT_FAILED;
    } else {
        telemetry_open(&dataplane);
        code = options.control ? serve() : run_once(&options);
    }
    dataplane_close(&dataplane);
    rte_eal_cleanup();
    return code;
}
