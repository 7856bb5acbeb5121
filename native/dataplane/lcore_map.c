/* SPDX-License-Identifier: Apache-2.0 */
#include "lcore_map.h"

#include <string.h>

/* The bit of a cut; 0 when nothing is called so. */
static uint32_t cut_by_name(const struct function *function, const char *text, size_t length)
{
    if (length == strlen("tx") && memcmp(text, "tx", length) == 0)
        return CUT_BEFORE_TX;
    int position = function_find(function, text, length);
    return position < 0 ? 0 : 1U << position;
}

bool cuts_parse(const struct function *function, const char *text, uint32_t *cuts, char *error,
                size_t error_bytes)
{
    *cuts = 0;
    if (strcmp(text, "none") == 0)
        return true;
    for (;; text++) { /* past the comma */
        size_t length = strcspn(text, ",");
        uint32_t cut = cut_by_name(function, text, length);
        if (cut == 0 || (*cuts & cut) != 0) {
            char names[STAGES_TEXT];
            function_stages_text(function, names, sizeof names);
            snprintf(error, error_bytes,
                     "'%.*s' is no place to cut %s at, or stands twice; it takes none, or some of "
                     "%s, tx",
                     (int)length, text, function->name, names);
            return false;
        }
        *cuts |= cut;
        text += length;
        if (*text == '\0')
            return true;
    }
}
