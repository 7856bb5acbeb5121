/* Stages of a program before the run, and its counts as JSON after it. */
#ifndef PLANECAST_SINGLESTEP_REPORT_H
#define PLANECAST_SINGLESTEP_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "maps.h"
#include "stepper.h"

/* Adds each function of the program whose name begins with `prefix`; how many, -1 for too many. */
int report_find_stages(struct stepper *s, const struct maps *maps, const char *prefix);

/* False if it could not be written. */
bool report_write(FILE *out, const struct stepper *s, const struct maps *maps, double seconds);

#endif
