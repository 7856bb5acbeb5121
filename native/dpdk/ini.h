/* SPDX-License-Identifier: Apache-2.0
 *
 * The INI file: [sections], key = value, and comments after ; or #. Our own reader and not
 * rte_cfgfile, because that one forgets the line.
 */
#ifndef PLANECAST_INI_H
#define PLANECAST_INI_H

#include "keys.h"

/* What the keys of a section set, and where they were set. */
struct ini_section {
    const struct key_table *table;
    void *structure;
    int *line_of; /* [KEYS_MAX], by the keys' numbers; 0: nowhere */
    char name[32];
};

struct ini {
    /* Finds the section of a heading, of which the blanks around are gone; false with a sentence in
     * `error`. */
    bool (*find)(void *config, char *heading, struct ini_section *section, char *error,
                 size_t error_bytes);
    void *config;
};

/* False with "FILE:LINE: key: sentence" in `error`. */
bool ini_read(const char *path, const struct ini *ini, char *error, size_t error_bytes);

/* "FILE:LINE: key: sentence", as ini_read says it, of a key that is fine alone; line 0: the file
 * doesn't set it. */
void ini_report(const char *path, int line, const char *section, const char *key,
                const char *sentence, char *error, size_t error_bytes);

#endif
