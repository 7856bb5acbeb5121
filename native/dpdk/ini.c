/* SPDX-License-Identifier: Apache-2.0 */
#include "ini.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES = 1024 };

struct reader {
    const struct ini *ini;
    struct ini_section section; /* its table is NULL before the first heading */
    int line;
};

static char *trim(char *text)
{
    text += strspn(text, " \t");
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

static bool read_value(struct reader *reader, const char *name, const char *value, char *error,
                       size_t error_bytes)
{
    const struct ini_section *section = &reader->section;
    if (section->table == NULL) {
        snprintf(error, error_bytes, "%.80s: stands before the first [section]", name);
        return false;
    }
    char reason[REASON_BYTES - 100];
    int key = keys_find(section->table, section->name, name);
    if (key >= 0 && section->line_of[key] != 0) {
        snprintf(reason, sizeof reason, "is set a second time; line %d has it already",
                 section->line_of[key]);
    } else if (keys_set(section->table, section->structure, section->name, name, value, reason,
                        sizeof reason)) {
        section->line_of[key] = reader->line;
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
    if (text[0] == '[' && text[strlen(text) - 1] == ']') {
        text[strlen(text) - 1] = '\0';
        return reader->ini->find(reader->ini->config, trim(text + 1), &reader->section, error,
                                 error_bytes);
    }
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

bool ini_read(const char *path, const struct ini *ini, char *error, size_t error_bytes)
{
    struct reader reader = {.ini = ini};
    char reason[REASON_BYTES];
    FILE *file = fopen(path, "r");
    bool fine = file != NULL && read_lines(&reader, file, reason, sizeof reason);
    /* A folder opens, too; only reading it fails. */
    bool unreadable = file == NULL || ferror(file) != 0;
    if (unreadable)
        snprintf(error, error_bytes, "%s: can't be read: %s", path, strerror(errno));
    else if (!fine)
        snprintf(error, error_bytes, "%s:%d: %s", path, reader.line, reason);
    if (file != NULL)
        fclose(file);
    return fine && !unreadable;
}

void ini_report(const char *path, int line, const char *section, const char *key,
                const char *sentence, char *error, size_t error_bytes)
{
    if (line != 0)
        snprintf(error, error_bytes, "%s:%d: %s: %s", path, line, key, sentence);
    else
        snprintf(error, error_bytes, "%s: %s.%s: %s", path, section, key, sentence);
}
