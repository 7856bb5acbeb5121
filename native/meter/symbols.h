/* SPDX-License-Identifier: Apache-2.0
 *
 * The symbol table of the program itself: where its functions are that no library exports, because
 * it was linked with them. A program that was stripped has those that it exports, if any.
 */
#ifndef PLANECAST_METER_SYMBOLS_H
#define PLANECAST_METER_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

/* Where a symbol is; NULL: the table doesn't have it, or there is none. `bytes`, if wanted, is its
 * size. */
void *symbols_address(const char *name, size_t *bytes);

/* Whether a function begins within so many bytes after the start of another. */
bool symbols_begin(const void *start, size_t bytes);

/* The function that an address is in; NULL: none that is known. */
const char *symbols_name(const void *address);

#endif
