/* SPDX-License-Identifier: Apache-2.0
 *
 * planecast-dataplane: a provider edge router on DPDK that can be asked for trials.
 *
 *   planecast-dataplane CONFIG.ini [--control | --packets N | --seconds S]
 *                       [--instrument callgrind|stop|trace] [-- EAL ARGUMENTS]
 *   planecast-dataplane --keys
 *
 * Read on in stage.h (what a stage is), stages/ (one network function a file), lcore.c (the loop),
 * trial.c (how it is measured).
 */
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "answer.h"
#include "control.h"
#include "cpus.h"
#include "eal.h"
#include "eal_start.h"
#include "lcore_map.h"
#include "options.h"
#include "ports.h"
#include "requests.h"
#include "telemetry.h"

enum { ERROR_BYTES = PATH_MAX + 1024 };

static struct dataplane dataplane;

static const struct program program = {
    "planecast-dataplane",
    config_print_keys,
    {[INSTRUMENT_CALLGRIND - 1] = "callgrind",
     [INSTRUMENT_STOP - 1] = "stop",
     [INSTRUMENT_TRACE - 1] = "trace",
     NULL},
};

static int run_once(const struct options *options)
{
    struct trial trial = trial_default(&dataplane);
    struct window windows[LCORES_MAX];
    bool here = dataplane.instrument == INSTRUMENT_STOP;
    if (here && segments_of(&dataplane.config) > 1) {
        fprintf(stderr, "planecast-dataplane: --instrument stop runs one lcore, but pipeline.cuts "
                        "spreads the pipeline over several\n");
        return EXIT_BAD_INPUT;
    }
    trial.packets = options->packets;
    trial.seconds = options->seconds;
    if (here)
        trial.traffic.lcores = 1;
    if (!trial_run(&dataplane, &trial, windows, here)) {
        fprintf(stderr, "planecast-dataplane: an lcore could not be started\n");
        return EXIT_FAILED;
    }
    struct totals totals = dataplane_totals(&dataplane);
    answer_trial(stdout, &dataplane, &trial, windows, &totals);
    if (!totals_conserved(&totals))
        return answer_not_conserved();
    return dataplane.stop ? EXIT_INTERRUPTED : answer_end(stdout);
}

/* Several processes that start together have one main CPU, so each builds its tables on any CPU
 * and goes back to where it waits for trials. */
static bool open_anywhere(char *error, size_t error_bytes)
{
    cpu_set_t pinned;
    bool known = sched_getaffinity(0, sizeof pinned, &pinned) == 0;
    if (known)
        cpus_run_on(&dataplane.usable_cpus);
    bool opened = dataplane_open(&dataplane, error, error_bytes);
    if (known)
        cpus_run_on(&pinned);
    return opened;
}

/* Everything between EAL's start and its end. */
static int run(const struct options *options)
{
    static char error[ERROR_BYTES];
    int code = EXIT_FAILED;
    if (!ports_check(&dataplane.config, error, sizeof error)) {
        fprintf(stderr, "planecast-dataplane: %s\n", error);
        return EXIT_BAD_INPUT;
    }
    if (open_anywhere(error, sizeof error)) {
        telemetry_open(&dataplane);
        code = options->control ? control_serve(&dataplane) : run_once(options);
        telemetry_close();
    } else if (dataplane.stop) {
        code = EXIT_INTERRUPTED;
    } else {
        fprintf(stderr, "planecast-dataplane: %s\n", error);
    }
    dataplane_close(&dataplane);
    return code;
}

int main(int argc, char **argv)
{
    static char error[ERROR_BYTES];
    struct options options;
    int code = options_read(argc, argv, &program, &options);
    if (code >= 0)
        return code;
    struct config *config = &dataplane.config;
    dataplane.instrument = (enum instrument)options.instrument;
    config_defaults(config);
    if (!config_read(options.config_path, config, error, sizeof error)) {
        code = EXIT_BAD_INPUT;
    } else if (!cpus_check(config->main_cpu, config->lcores.cpu, config->lcores.count, error,
                           sizeof error)) {
        code = EXIT_MISSING;
    } else if (!requests_catch_signals(&dataplane.stop)) {
        snprintf(error, sizeof error, "no pipe for signals: %s", strerror(errno));
        code = EXIT_FAILED;
    } else {
        sched_getaffinity(0, sizeof dataplane.usable_cpus, &dataplane.usable_cpus);
        code = eal_open(config, argv[0], options.extra_count, options.extra, error, sizeof error);
    }
    if (code != EXIT_DONE) {
        fprintf(stderr, "planecast-dataplane: %s\n", error);
        return code;
    }
    code = run(&options);
    eal_end();
    return code;
}
