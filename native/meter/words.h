/* SPDX-License-Identifier: Apache-2.0
 *
 * Text of key=value words with blanks between, as requests and PLANECAST_COUNT are. A blank stands
 * before the first.
 */
#ifndef PLANECAST_METER_WORDS_H
#define PLANECAST_METER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* The value behind ` key=`; false when it isn't there. */
bool word_value(const char *text, const char *key, char *out, size_t size);

/* The same as a number; `otherwise` when it isn't there. */
double word_number(const char *text, const char *key, double otherwise);

#endif
