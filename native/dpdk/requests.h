/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines from a controlling program, the answers that every program gives, and the signals that end
 * the waiting.
 *
 * A signal could come just before a read begins, which would then wait for ever; so a signal also
 * writes a byte into a pipe, and the waiting is for the pipe and the input both.
 */
#ifndef PLANECAST_REQUESTS_H
#define PLANECAST_REQUESTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { REQUEST_BYTES = 1024 };

enum request_kind {
    REQUEST_LINE,
    REQUEST_TOO_LONG, /* longer than REQUEST_BYTES: read to its end and thrown away */
    REQUEST_END,      /* end of input, or a signal */
};

struct requests {
    int input;
    size_t used; /* bytes of `buffer` that were read */
    size_t line; /* bytes of it that the last line took */
    bool skipping;
    char buffer[REQUEST_BYTES];
};

/* From now on SIGINT and SIGTERM set `stop`; the second of a kind ends the program at once. False
 * when no pipe can be made. */
bool requests_catch_signals(atomic_bool *stop);

void requests_open(struct requests *requests, int input);

/* Waits for the next line; *line stays valid until the next call. */
enum request_kind requests_next(struct requests *requests, char **line);

/* One line of JSON. */
void answer_error(FILE *out, const char *error);

/* The exit code so far: EXIT_FAILED when the answers could not be written. */
int answer_end(FILE *out);

/* Whether a line's first word is this one; what follows it is *rest then. */
bool request_begins(const char *line, const char *word, const char **rest);

#endif
