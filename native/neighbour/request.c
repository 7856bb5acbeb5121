/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool number(const char *text, double low, double high, double *value)
{
    char *end;
    *value = strtod(text, &end);
    return end != text && *end == '\0' && *value >= low && *value <= high;
}

/* One `key=value` of a mode that has it; false with `error` for anything else. */
static bool set(struct work *work, char *word, char *error, size_t error_bytes)
{
    char *value = strchr(word, '=');
    double got = 0;
    bool memory = work->mode == WORK_WALK || work->mode == WORK_STREAM;
    if (value == NULL) {
        snprintf(error, error_bytes, "'%s' is not key=value", word);
        return false;
    }
    *value++ = '\0';
    if (memory && strcmp(word, "bytes") == 0) {
        if (number(value, MIN_BYTES, (double)MAX_BYTES, &got)) {
            work->bytes = (uint64_t)got / LINE_BYTES * LINE_BYTES;
            return true;
        }
        snprintf(error, error_bytes, "bytes: '%s' is not from %u to %llu", value, MIN_BYTES,
                 MAX_BYTES);
    } else if (memory && strcmp(word, "lines_per_s") == 0) {
        if (number(value, 0, 1e12, &work->lines_per_s))
            return true;
        snprintf(error, error_bytes, "lines_per_s: '%s' is not from 0 (no limit) to 1e12", value);
    } else if (work->mode == WORK_WALK && strcmp(word, "width") == 0) {
        if (number(value, 1, MAX_WIDTH, &got)) {
            work->width = (unsigned)got;
            return true;
        }
        snprintf(error, error_bytes, "width: '%s' is not from 1 to %u", value, MAX_WIDTH);
    } else if (work->mode == WORK_STREAM && strcmp(word, "write") == 0) {
        if (number(value, 0, 1, &got)) {
            work->write = got > 0;
            return true;
        }
        snprintf(error, error_bytes, "write: '%s' is neither 0 nor 1", value);
    } else {
        snprintf(error, error_bytes, "%s has no key %s", work_names[work->mode], word);
    }
    return false;
}

enum request request_parse(char *line, struct work *work, char *error, size_t error_bytes)
{
    static const char *const between = " \t\r\n";
    char *rest = NULL;
    char *word = strtok_r(line, between, &rest);
    if (word == NULL) {
        snprintf(error, error_bytes, "empty request");
        return REQUEST_WRONG;
    }
    if (strcmp(word, "stats") == 0)
        return REQUEST_STATS;
    if (strcmp(word, "quit") == 0)
        return REQUEST_QUIT;
    *work = (struct work){.bytes = 1u << 20, .width = 8};
    int mode = WORK_IDLE;
    while (mode <= WORK_SPIN && strcmp(word, work_names[mode]) != 0)
        mode++;
    if (mode > WORK_SPIN) {
        snprintf(error, error_bytes, "'%s' is none of idle, walk, stream, spin, stats, quit", word);
        return REQUEST_WRONG;
    }
    work->mode = (enum work_mode)mode;
    while ((word = strtok_r(NULL, between, &rest)) != NULL)
        if (!set(work, word, error, error_bytes))
            return REQUEST_WRONG;
    return REQUEST_WORK;
}
