/* SPDX-License-Identifier: Apache-2.0 */
#include "numbers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *parse_whole(const char *text, uint64_t min, uint64_t max, const char *stops,
                        uint64_t *value)
{
    char *end = NULL;
    if (*text < '0' || *text > '9') /* strtoull would take blanks and signs */
        return NULL;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (errno != 0 || *value < min || *value > max)
        return NULL;
    return *end == '\0' || strchr(stops, *end) != NULL ? end : NULL;
}

bool parse_seconds(const char *text, double *seconds)
{
    char *end = NULL;
    *seconds = strtod(text, &end);
    return end != text && *end == '\0' && *seconds > 0 && *seconds <= SECONDS_MAX;
}
