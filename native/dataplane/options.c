/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "exit_code.h"
#include "trial.h"

static const char usage[] =
    "usage: planecast-dataplane CONFIG.ini [--control | --packets N | --seconds S]\n"
    "                           [--instrument callgrind|stop] [-- EAL ARGUMENTS]\n"
    "       planecast-dataplane --keys     every key of the configuration\n";

static int bad_usage(const char *what)
{
    fprintf(stderr, "planecast-dataplane: %s\n%s", what, usage);
    return EXIT_BAD_INPUT;
}

static bool read_packets(const char *text, uint64_t *packets)
{
    char *end = NULL;
    errno = 0;
    *packets = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && *end == '\0' && errno == 0 && *packets > 0 &&
           *packets <= PACKETS_MAX;
}

static int check_options(int argc, char **argv, struct options *options)
{
    bool bounded = options->packets != 0 || options->seconds > 0;
    if (optind >= argc)
        return bad_usage("no configuration file is named");
    if (optind + 1 < argc)
        return bad_usage("one configuration file, and EAL's arguments after --");
    if (options->control && bounded)
        return bad_usage("--control: each trial says its own packets or seconds");
    if (options->control && options->instrument != INSTRUMENT_NONE)
        return bad_usage("--instrument: only with --packets or --seconds");
    options->config_path = argv[optind];
    if (!options->control && !bounded)
        options->seconds = 10;
    return -1;
}

/* -1: go on; otherwise the exit code. */
int options_read(int argc, char **argv, struct options *options)
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
        switch (option) {
        case 'c':
            options->control = true;
            break;
        case 'p':
            if (!read_packets(optarg, &options->packets))
                return bad_usage("--packets: a whole number from 1 to 1000000000000000");
            break;
        case 's':
            if (!trial_read_seconds(optarg, &options->seconds))
                return bad_usage("--seconds: a number above 0 and up to 1000000");
            break;
        case 'i':
            if (strcmp(optarg, "callgrind") == 0)
                options->instrument = INSTRUMENT_CALLGRIND;
            else if (strcmp(optarg, "stop") == 0)
                options->instrument = INSTRUMENT_STOP;
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
    return check_options(argc, argv, options);
}
