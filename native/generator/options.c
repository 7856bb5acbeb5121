/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <getopt.h>
#include <stdio.h>

#include "config.h"
#include "exit_code.h"
#include "request.h"

static const char usage[] =
    "usage: planecast-generator CONFIG.ini [--control | --packets N | --seconds S] "
    "[-- EAL ARGUMENTS]\n"
    "       planecast-generator --keys     every key of the configuration\n";

static int bad_usage(const char *what)
{
    fprintf(stderr, "planecast-generator: %s\n%s", what, usage);
    return EXIT_BAD_INPUT;
}

static int check_options(int argc, char **argv, struct options *options)
{
    bool bounded = options->packets != NULL || options->seconds > 0;
    if (optind >= argc)
        return bad_usage("no configuration file is named");
    if (optind + 1 < argc)
        return bad_usage("one configuration file, and EAL's arguments after --");
    if (options->control && bounded)
        return bad_usage("--control: each run says its own packets or seconds");
    options->config_path = argv[optind];
    if (!options->control && !bounded)
        options->seconds = 10;
    return -1;
}

int options_read(int argc, char **argv, struct options *options)
{
    static const struct option known[] = {
        {"control", no_argument, NULL, 'c'},       {"packets", required_argument, NULL, 'p'},
        {"seconds", required_argument, NULL, 's'}, {"keys", no_argument, NULL, 'k'},
        {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0}};
    int option;
    while ((option = getopt_long(argc, argv, "h", known, NULL)) != -1) {
        switch (option) {
        case 'c':
            options->control = true;
            break;
        case 'p': {
            static struct config config;
            struct stream_config stream;
            char error[512];
            if (!config_set(&config, &stream, "stream", "packets", optarg, error, sizeof error) ||
                stream.packets == 0)
                return bad_usage("--packets: a whole number from 1 to 1000000000000000");
            options->packets = optarg;
            break;
        }
        case 's':
            if (!request_read_seconds(optarg, &options->seconds))
                return bad_usage("--seconds: a number above 0 and up to 1000000");
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
