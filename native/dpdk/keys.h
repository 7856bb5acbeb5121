/* SPDX-License-Identifier: Apache-2.0
 *
 * The keys of a configuration. One table says all there is to know of a key: its place, type,
 * bounds, default and meaning. Defaults, the INI file (ini.h), requests and `--keys` walk it.
 */
#ifndef PLANECAST_KEYS_H
#define PLANECAST_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct key;

/* How text becomes a value, and what to say is allowed (key_types.h). */
struct key_type {
    bool (*read)(void *place, const struct key *key, const char *text); /* false: not allowed */
    void (*allowed)(const struct key *key, char *text, size_t text_bytes);
};

struct key {
    const char *section, *name;
    const struct key_type *type;
    size_t offset; /* of its place in the structure that the table is of */
    double min, max;
    const char *initial, *meaning;
    const char *choices; /* of type_choice: names in the order of their values, with commas */
};

enum { KEYS_MAX = 64 };

struct key_table {
    const struct key *keys;
    int count;            /* at most KEYS_MAX */
    const char *named;    /* what follows a section's name in its heading: "", or " NAME" */
    const char *sections; /* all that a file may have, for the sentence on those it may not */
};

/* Sets every key of the structure to its default. */
void keys_default(const struct key_table *table, void *structure);

/* A key's number, below the table's count; -1: there is none. */
int keys_find(const struct key_table *table, const char *section, const char *name);

/* False with a sentence in `error` when there is no such section. */
bool keys_section(const struct key_table *table, const char *section, char *error,
                  size_t error_bytes);

/* Sets one key of the structure from text; false with a sentence in `error`. */
bool keys_set(const struct key_table *table, void *structure, const char *section, const char *name,
              const char *text, char *error, size_t error_bytes);

/* Every key with its default, meaning and what it takes: a file that can be read. */
void keys_print(const struct key_table *table, FILE *out);

#endif
