/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool word_value(const char *text, const char *key, char *out, size_t size)
{
    char word[32];
    snprintf(word, sizeof word, " %s=", key);
    const char *found = strstr(text, word);
    if (found == NULL)
        return false;
    found += strlen(word);
    snprintf(out, size, "%.*s", (int)strcspn(found, " "), found);
    return true;
}

double word_number(const char *text, const char *key, double otherwise)
{
    char found[32];
    return word_value(text, key, found, sizeof found) ? strtod(found, NULL) : otherwise;
}
