/* SPDX-License-Identifier: Apache-2.0
 *
 * The INI file: [sections], key = value, and comments after ; or #. Our own reader and not
 * rte_cfgfile, because that one forgets the line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"

struct reader {
    struct config *config;
    int line;
    char section[64];
    int line_of[CONFIG_KEYS_MAX]; /* where a key was set; 0: nowhere */
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
    const char *name = trim(text + 1);
    snprintf(reader->section, sizeof reader->section, "%s", name);
    return config_section(name, error, error_bytes);
}

static bool read_value(struct reader *reader, const char *name, const char *value, char *error,
                       size_t error_bytes)
{
    if (reader->section[0] == '\0') {
        snprintf(error, error_bytes, "%s: stands before the first [section]", name);
        return false;
    }
    char reason[512];
    int key = config_find(reader->section, name);
    if (key >= 0 && reader->line_of[key] != 0) {
        snprintf(reason, sizeof reason, "is set a second time; line %d has it already",
                 reader->line_of[key]);
    } else if (config_set(reader->config, reader->section, name, value, reason, sizeof reason)) {
        reader->line_of[key] = reader->line;
        return true;
    }
    snprintf(error, error_bytes, "%s: %s", name, reason);
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

/* Names the line of the key that the file sets, when it sets one of the two. */
static void tell_conflict(const struct reader *reader, const char *path,
                          const struct config_conflict *conflict, char *error, size_t error_bytes)
{
    for (int i = 0; i < 2 && conflict->keys[i].key != NULL; i++) {
        const struct config_name *name = &conflict->keys[i];
        int line = reader->line_of[config_find(name->section, name->key)];
        if (line == 0)
            continue;
        snprintf(error, error_bytes, "%s:%d: %s: %s", path, line, name->key, conflict->sentence);
        return;
    }
    snprintf(error, error_bytes, "%s: %s.%s: %s", path, conflict->keys[0].section,
             conflict->keys[0].key, conflict->sentence);
}

bool config_read(const char *path, struct config *config, char *error, size_t error_bytes)
{
    struct reader reader = {.config = config};
    struct config_conflict conflict;
    char reason[640];
    FILE *file = fopen(path, "r");
    bool fine = file != NULL && read_lines(&reader, file, reason, sizeof reason);
    /* A folder opens, too; only reading it fails. */
    bool unreadable = file == NULL || ferror(file) != 0;
    if (unreadable)
        snprintf(error, error_bytes, "%s: can't be read: %s", path, strerror(errno));
    if (file != NULL)
        fclose(file);
    if (unreadable)
        return false;
    if (!fine)
        snprintf(error, error_bytes, "%s:%d: %s", path, reader.line, reason);
    if (!fine || config_check(config, &conflict))
        return fine;
    tell_conflict(&reader, path, &conflict, error, error_bytes);
    return false;
}
