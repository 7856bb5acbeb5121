/* SPDX-License-Identifier: Apache-2.0 */
#include "request.h"

#include <string.h>

#include "numbers.h"

enum { WORDS_BYTES = 1024 };

static struct stream_config *find_stream(struct config *config, const char *name)
{
    for (uint32_t i = 0; i < config->stream_count; i++) {
        if (strcmp(config->stream[i].name, name) == 0)
            return &config->stream[i];
    }
    return NULL;
}

/* "streams=a,b": the others are left out. */
static bool choose_streams(struct config *asked, char *names, char *error, size_t error_bytes)
{
    bool wanted[STREAMS_MAX] = {false};
    uint32_t kept = 0;
    char *rest = NULL;
    for (char *name = strtok_r(names, ",", &rest); name != NULL;
         name = strtok_r(NULL, ",", &rest)) {
        struct stream_config *stream = find_stream(asked, name);
        if (stream == NULL) {
            snprintf(error, error_bytes, "streams: there is no stream '%s'", name);
            return false;
        }
        wanted[stream - asked->stream] = true;
    }
    for (uint32_t i = 0; i < asked->stream_count; i++) {
        if (!wanted[i])
            continue;
        if (kept != i)
            asked->stream[kept] = asked->stream[i];
        kept++;
    }
    asked->stream_count = kept;
    if (kept == 0)
        snprintf(error, error_bytes, "streams: none is named");
    return kept > 0;
}

/* Keys of [run] and of the streams can be set for a run; the others belong to the process. */
static bool set_key(struct config *asked, const char *name, const char *text, char *error,
                    size_t error_bytes)
{
    char reason[512], own[NAME_BYTES];
    const char *dot = strchr(name, '.');
    const char *key = dot != NULL ? dot + 1 : name;
    struct stream_config *stream = NULL;
    if (dot != NULL) {
        snprintf(own, sizeof own, "%.*s", (int)(dot - name), name);
        stream = find_stream(asked, own);
        if (stream == NULL) {
            snprintf(error, error_bytes, "%s: there is no stream '%s'", name, own);
            return false;
        }
    }
    bool of_run = stream == NULL && keys_find(&run_keys, "run", key) >= 0;
    if (!of_run && keys_find(&stream_keys, "stream", key) < 0) {
        snprintf(error, error_bytes, "a run has no key '%s'", name);
        return false;
    }
    bool fine = true;
    if (of_run) {
        fine = keys_set(&run_keys, asked, "run", key, text, reason, sizeof reason);
    } else {
        for (uint32_t i = 0; i < asked->stream_count && fine; i++) {
            if (stream == NULL || stream == &asked->stream[i])
                fine = keys_set(&stream_keys, &asked->stream[i], "stream", key, text, reason,
                                sizeof reason);
        }
    }
    if (!fine)
        snprintf(error, error_bytes, "%s: %s", name, reason);
    return fine;
}

static bool set_word(struct config *asked, char *word, double *seconds, char *error,
                     size_t error_bytes)
{
    char *equals = strchr(word, '=');
    if (equals == NULL) {
        snprintf(error, error_bytes, "'%s' is not key=value", word);
        return false;
    }
    *equals = '\0';
    const char *text = equals + 1;
    if (strcmp(word, "streams") == 0)
        return choose_streams(asked, equals + 1, error, error_bytes);
    if (strcmp(word, "seconds") != 0)
        return set_key(asked, word, text, error, error_bytes);
    if (parse_seconds(text, seconds))
        return true;
    snprintf(error, error_bytes, "seconds: '%s' is not a number above 0 and up to %d", text,
             SECONDS_MAX);
    return false;
}

bool request_read(const struct config *config, const char *words, struct config *asked,
                  double *seconds, char *error, size_t error_bytes)
{
    char copy[WORDS_BYTES];
    char *rest = NULL;
    struct config_conflict conflict;
    snprintf(copy, sizeof copy, "%s", words);
    *asked = *config;
    *seconds = 0;
    for (char *word = strtok_r(copy, " \t\r\n", &rest); word != NULL;
         word = strtok_r(NULL, " \t\r\n", &rest)) {
        if (!set_word(asked, word, seconds, error, error_bytes))
            return false;
    }
    if (config_longest_frame(asked) > config_longest_frame(config) &&
        config_longest_frame(asked) > 2048) {
        snprintf(error, error_bytes,
                 "sizes: %u bytes are more than the buffers hold; configure "
                 "them in the file",
                 config_longest_frame(asked));
        return false;
    }
    if (config_check(asked, &conflict))
        return true;
    snprintf(error, error_bytes, "%s: %s", conflict.key, conflict.sentence);
    return false;
}
