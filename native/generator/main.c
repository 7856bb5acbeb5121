/* SPDX-License-Identifier: Apache-2.0
 *
 * planecast-generator: sends streams of packets through any DPDK port, and shows what became of
 * them.
 *
 *   planecast-generator CONFIG.ini [--control | --packets N | --seconds S] [-- EAL ARGUMENTS]
 *   planecast-generator --keys
 *
 * Read on in signature.h (how a packet is known again), schedule.h (when it is due), pktgen.c and
 * sender.c (how it goes out), receiver.c (how it comes back), generator.c (a run).
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>

#include "answer.h"
#include "control.h"
#include "cpus.h"
#include "eal_start.h"
#include "options.h"
#include "ports.h"
#include "request.h"
#include "requests.h"

enum { ERROR_BYTES = PATH_MAX + 1200 };

static struct generator generator;
static char error[ERROR_BYTES];

static const struct program program = {"planecast-generator", config_print_keys, {NULL}};

static int run_once(const struct options *options)
{
    char words[64] = "";
    double seconds = 0;
    if (options->packets != 0)
        snprintf(words, sizeof words, "packets=%" PRIu64, options->packets);
    if (!request_read(&generator.config, words, &generator.asked, &seconds, error, sizeof error) ||
        !generator_start(&generator, options->seconds, error, sizeof error)) {
        fprintf(stderr, "planecast-generator: %s\n", error);
        return EXIT_BAD_INPUT;
    }
    generator_wait(&generator);
    answer_run(stdout, &generator, true);
    return generator.stop ? EXIT_INTERRUPTED : answer_end(stdout);
}

/* Everything between EAL's start and its end. */
static int run(const struct options *options)
{
    int code = EXIT_FAILED;
    if (!ports_check(&generator.config, error, sizeof error)) {
        fprintf(stderr, "planecast-generator: %s\n", error);
        return EXIT_BAD_INPUT;
    }
    if (generator_open(&generator, error, sizeof error))
        code = options->control ? control_serve(&generator) : run_once(options);
    else
        fprintf(stderr, "planecast-generator: %s\n", error);
    generator_close(&generator);
    return code;
}

static enum exit_code start_eal(const char *program, int extra_count, char **extra)
{
    const struct config *config = &generator.config;
    uint32_t needed_mib = generator_memory_mib(config);
    const struct eal_request request = {
        .program = program,
        .main_cpu = config->main_cpu,
        .lcore_cpu = config->lcores.cpu,
        .lcore_count = config->lcores.count,
        .memory_mib = config->memory_mb != 0 ? config->memory_mb : needed_mib,
        .small_pages = config->page_size == PAGES_4KIB,
    };
    return eal_start(&request, extra_count, extra, error, sizeof error);
}

int main(int argc, char **argv)
{
    struct options options;
    int code = options_read(argc, argv, &program, &options);
    if (code >= 0)
        return code;
    struct config *config = &generator.config;
    config_defaults(config);
    if (!config_read(options.config_path, config, error, sizeof error)) {
        code = EXIT_BAD_INPUT;
    } else if (!cpus_check(config->main_cpu, config->lcores.cpu, config->lcores.count, error,
                           sizeof error)) {
        code = EXIT_MISSING;
    } else if (!requests_catch_signals(&generator.stop)) {
        snprintf(error, sizeof error, "no pipe for signals: %s", strerror(errno));
        code = EXIT_FAILED;
    } else {
        code = start_eal(argv[0], options.extra_count, options.extra);
    }
    if (code != EXIT_DONE) {
        fprintf(stderr, "planecast-generator: %s\n", error);
        return code;
    }
    code = run(&options);
    eal_end();
    return code;
}
