/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

#include "exit_code.h"
#include "numbers.h"

static void print_usage(const struct program *program, FILE *out)
{
    fprintf(out, "usage: %s CONFIG.ini [--control | --packets N | --seconds S]\n", program->name);
    for (int i = 0; program->instruments[i] != NULL; i++)
        fprintf(out, "%s%s%s", i == 0 ? "           [--instrument " : "|", program->instruments[i],
                program->instruments[i + 1] == NULL ? "]\n" : "");
    fprintf(out,
            "           [-- EAL ARGUMENTS]\n"
            "       %s --keys     every key of the configuration\n",
            program->name);
}

static int bad_usage(const struct program *program, const char *what)
{
    fprintf(stderr, "%s: %s\n", program->name, what);
    print_usage(program, stderr);
    return EXIT_BAD_INPUT;
}

static int bad_instrument(const struct program *program)
{
    char what[128] = "--instrument:";
    for (int i = 0; program->instruments[i] != NULL; i++) {
        size_t length = strlen(what);
        snprintf(what + length, sizeof what - length, "%s%s", i == 0 ? " " : " or ",
                 program->instruments[i]);
    }
    return bad_usage(program, what);
}

/* Its number, from 1; 0: there is none of that name. */
static int find_instrument(const struct program *program, const char *name)
{
    for (int i = 0; program->instruments[i] != NULL; i++) {
        if (strcmp(program->instruments[i], name) == 0)
            return i + 1;
    }
    return 0;
}

/* What can be said of the options only together. */
static int check(int argc, char **argv, const struct program *program, struct options *options)
{
    bool bounded = options->packets != 0 || options->seconds > 0;
    if (optind >= argc)
        return bad_usage(program, "no configuration file is named");
    if (optind + 1 < argc)
        return bad_usage(program, "one configuration file, and EAL's arguments after --");
    if (options->control && bounded)
        return bad_usage(program, "--control: each request says its own packets or seconds");
    if (options->control && options->instrument != 0)
        return bad_usage(program, "--instrument: only with --packets or --seconds");
    options->config_path = argv[optind];
    if (!options->control && !bounded)
        options->seconds = 10;
    return -1;
}

/* One option; -1: continue. */
static int take(int option, const struct program *program, struct options *options)
{
    switch (option) {
    case 'c':
        options->control = true;
        return -1;
    case 'p':
        if (parse_whole(optarg, 1, PACKETS_MAX, "", &options->packets) == NULL)
            return bad_usage(program, "--packets: a whole number from 1 to 1000000000000000");
        return -1;
    case 's':
        if (!parse_seconds(optarg, &options->seconds))
            return bad_usage(program, "--seconds: a number above 0 and up to 1000000");
        return -1;
    case 'i':
        options->instrument = find_instrument(program, optarg);
        return options->instrument == 0 ? bad_instrument(program) : -1;
    case 'k':
        program->print_keys(stdout);
        return EXIT_DONE;
    case 'h':
        print_usage(program, stdout);
        return EXIT_DONE;
    default:
        print_usage(program, stderr);
        return EXIT_BAD_INPUT;
    }
}

int options_read(int argc, char **argv, const struct program *program, struct options *options)
{
    bool has_instruments = program->instruments[0] != NULL;
    const struct option known[] = {
        {"control", no_argument, NULL, 'c'},
        {"packets", required_argument, NULL, 'p'},
        {"seconds", required_argument, NULL, 's'},
        {"keys", no_argument, NULL, 'k'},
        {"help", no_argument, NULL, 'h'},
        {has_instruments ? "instrument" : NULL, required_argument, NULL, 'i'},
        {NULL, 0, NULL, 0}};
    int own = 1; /* getopt would reorder EAL's words: it sees only what stands before -- */
    while (own < argc && strcmp(argv[own], "--") != 0)
        own++;
    *options = (struct options){0};
    options->extra_count = own < argc ? argc - own - 1 : 0;
    options->extra = argv + argc - options->extra_count;
    int option = 0, code = -1;
    while (code < 0 && (option = getopt_long(own, argv, "h", known, NULL)) != -1)
        code = take(option, program, options);
    return code >= 0 ? code : check(own, argv, program, options);
}
