/* SPDX-License-Identifier: Apache-2.0
 *
 * Strings in JSON.
 */
#ifndef PLANECAST_JSON_H
#define PLANECAST_JSON_H

#include <stdio.h>

/* In quotes. Errors quote what a request said, so any bytes may be in it: what is no UTF-8 becomes
 * the replacement character. */
void json_put_string(FILE *out, const char *string);

#endif
