/* SPDX-License-Identifier: Apache-2.0
 *
 * The INI file: [sections], key = value, and comments after ; or #.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

struct reader {
    struct config *config;
    struct stream_config *stream; /* of the section; NULL: no section of a stream */
    int line;
    char section[16];
    int line_of[CONFIG_KEYS_MAX];                     /* where a key was set; 0: nowhere */
    int stream_line_of[STREAMS_MAX][CONFIG_KEYS_MAX]; /* the same for each stream */
};

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

static bool read_section(struct reader *reader, char *text, char *error, size_t error_bytes)
{
    text[strlen(text) - 1] = '\0';
    char *name = trim(text + 1);
    reader->stream = NULL;
    if (strncmp(name, "stream", 6) == 0 && strchr(" \t", name[6]) != NULL) {
        char *own = trim(name + 6);
        reader->stream =
            config_add_stream(reader->config, *own == '\0' ? "stream" : own, error, error_bytes);
        snprintf(reader->section, sizeof reader->section, "stream");
        return reader->stream != NULL;
    }
    if (!config_section(name, error, error_bytes))
        return false;
    snprintf(reader->section, sizeof reader->section, "%s", name);
    return true;
}

static int *line_of(struct reader *reader, int key)
{
    if (reader->stream == NULL)
        return &reader->line_of[key];
    return &reader->stream_line_of[reader->stream - reader->config->stream][key];
}

static bool read_value(struct reader *reader, const char *name, const char *value, char *error,
                       size_t error_bytes)
{
    if (reader->section[0] == '\0') {
        snprintf(error, error_bytes, "%.80s: stands before the first [section]", name);
        return false;
    }
    char reason[900];
    int key = config_find(reader->section, name);
    if (key >= 0 && *line_of(reader, key) != 0) {
        snprintf(reason, sizeof reason, "is set a second time; line %d has it already",
                 *line_of(reader, key));
    } else if (config_set(reader->config, reader->stream, reader->section, name, value, reason,
                          sizeof reason)) {
        *line_of(reader, key) = reader->line;
        return true;
    }
    snprintf(error, error_bytes, "%.80s: %s", name, reason);
    return false;
}

static bool read_line(struct reader *reader, char *line, size_t length, char *error,
                      size_t error_bytes)
{
    if (strlen(line) != length) {
        snprintf(error, error_bytes, "a zero byte: this is no text file");
        return false;
    }
    line[strcspn(line, ";#")] = '\0';
    char *text = trim(line);
    if (*text == '\0')
        return true;
    if (text[0] == '[' && text[strlen(text) - 1] == ']')
        return read_section(reader, text, error, error_bytes);
    char *equals = strchr(text, '=');
    if (equals == NULL || equals == text) {
        snprintf(error, error_bytes, "%.80s: neither a [section] nor key = value", text);
        return false;
    }
    *equals = '\0';
    return read_value(reader, trim(text), trim(equals + 1), error, error_bytes);
}

static bool read_lines(struct reader *reader, FILE *file, char *error, size_t error_bytes)
{
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length = 0;
    bool fine = true;
    while (fine && (length = getline(&line, &capacity, file)) >= 0) {
        reader->line++;
        fine = read_line(reader, line, (size_t)length, error, error_bytes);
    }
    free(line);
    return fine;
}

/* Names the line of the key, when the file sets it. */
static void tell_conflict(const struct reader *reader, const char *path,
                          const struct config_conflict *conflict, char *error, size_t error_bytes)
{
    int key = config_find(conflict->section, conflict->key);
    const int *lines =
        conflict->stream < 0 ? reader->line_of : reader->stream_line_of[conflict->stream];
    if (lines[key] != 0)
        snprintf(error, error_bytes, "%s:%d: %s: %s", path, lines[key], conflict->key,
                 conflict->sentence);
    else
        snprintf(error, error_bytes, "%s: %s.%s: %s", path, conflict->section, conflict->key,
                 conflict->sentence);
}

static bool read_open_file(struct reader *reader, const char *path, FILE *file, char *error,
                           size_t error_bytes)
{
    struct config_conflict conflict;
    char reason[1024];
    bool fine = read_lines(reader, file, reason, sizeof reason);
    if (ferror(file) != 0) { /* a folder opens, too; only reading it fails */
        snprintf(error, error_bytes, "%s: can't be read: %s", path, strerror(errno));
        return false;
    }
    if (!fine) {
        snprintf(error, error_bytes, "%s:%d: %s", path, reader->line, reason);
        return false;
    }
    if (reader->config->stream_count == 0)
        config_add_stream(reader->config, "stream", reason, sizeof reason);
    if (config_check(reader->config, &conflict))
        return true;
    tell_conflict(reader, path, &conflict, error, error_bytes);
    return false;
}

bool config_read(const char *path, struct config *config, char *error, size_t error_bytes)
{
    struct reader *reader = calloc(1, sizeof *reader);
    FILE *file = fopen(path, "r");
    bool fine = false;
    if (file == NULL || reader == NULL) {
        snprintf(error, error_bytes, "%s: can't be read: %s", path, strerror(errno));
    } else {
        reader->config = config;
        fine = read_open_file(reader, path, file, error, error_bytes);
    }
    if (file != NULL)
        fclose(file);
    free(reader);
    return fine;
}
