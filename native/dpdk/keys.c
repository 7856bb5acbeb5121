/* SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"

#include <string.h>

enum { ALLOWED_BYTES = 256 };

static void *place(void *structure, const struct key *key)
{
    return (char *)structure + key->offset;
}

void keys_default(const struct key_table *table, void *structure)
{
    for (int i = 0; i < table->count; i++) {
        const struct key *key = &table->keys[i];
        key->type->read(place(structure, key), key, key->initial);
    }
}

int keys_find(const struct key_table *table, const char *section, const char *name)
{
    for (int i = 0; i < table->count; i++) {
        const struct key *key = &table->keys[i];
        if (strcmp(key->section, section) == 0 && strcmp(key->name, name) == 0)
            return i;
    }
    return -1;
}

bool keys_section(const struct key_table *table, const char *section, char *error,
                  size_t error_bytes)
{
    for (int i = 0; i < table->count; i++) {
        if (strcmp(table->keys[i].section, section) == 0)
            return true;
    }
    snprintf(error, error_bytes, "no section [%.80s]; allowed are %s", section, table->sections);
    return false;
}

/* "no such key in [tables]; allowed are acl_rules, flows, …". */
static bool unknown_key(const struct key_table *table, const char *section, char *error,
                        size_t error_bytes)
{
    if (!keys_section(table, section, error, error_bytes))
        return false;
    int used = snprintf(error, error_bytes, "no such key in [%s]; allowed are", section);
    const char *separator = " ";
    for (int i = 0; i < table->count && used > 0 && (size_t)used < error_bytes; i++) {
        const struct key *key = &table->keys[i];
        if (strcmp(key->section, section) != 0)
            continue;
        used += snprintf(error + used, error_bytes - (size_t)used, "%s%s", separator, key->name);
        separator = ", ";
    }
    return false;
}

bool keys_set(const struct key_table *table, void *structure, const char *section, const char *name,
              const char *text, char *error, size_t error_bytes)
{
    int index = keys_find(table, section, name);
    if (index < 0)
        return unknown_key(table, section, error, error_bytes);
    const struct key *key = &table->keys[index];
    if (key->type->read(place(structure, key), key, text))
        return true;
    char allowed[ALLOWED_BYTES];
    key->type->allowed(key, allowed, sizeof allowed);
    snprintf(error, error_bytes, "'%.80s' is not allowed; it takes %s", text, allowed);
    return false;
}

void keys_print(const struct key_table *table, FILE *out)
{
    const char *section = "";
    for (int i = 0; i < table->count; i++) {
        const struct key *key = &table->keys[i];
        char allowed[ALLOWED_BYTES];
        if (strcmp(section, key->section) != 0)
            fprintf(out, "[%s%s]\n", section = key->section, table->named);
        key->type->allowed(key, allowed, sizeof allowed);
        fprintf(out, "%s = %s  ; %s (%s)\n", key->name, key->initial, key->meaning, allowed);
    }
}
