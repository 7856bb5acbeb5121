/* What a process has mapped to execute, from /proc/PID/maps. */
#ifndef PLANECAST_SINGLESTEP_MAPS_H
#define PLANECAST_SINGLESTEP_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mapping {
    uint64_t start, end;
    uint64_t offset; /* of `start` in the file */
    char path[512];  /* or [vdso], or empty */
};

struct maps {
    size_t count;
    struct mapping *mapping;
    char program[512]; /* what /proc/PID/exe points to */
};

/* Executable mappings only. False if the process can't be read. */
bool maps_read(struct maps *maps, pid_t pid);
void maps_free(struct maps *maps);

/* The mapping that holds this address; NULL if none. */
const struct mapping *maps_find(const struct maps *maps, uint64_t address);

#endif
