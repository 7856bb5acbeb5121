/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PLANECAST_METER_PAGES_H
#define PLANECAST_METER_PAGES_H

#include <stdbool.h>

/* Whether the program shall have large pages without a reservation of them. */
bool large_pages_wanted(void);

#endif
