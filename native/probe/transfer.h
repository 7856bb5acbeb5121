/* What cache lines cost that another core wrote last. Measured, for it depends on where the two
 * cores are, which a hypervisor hides. */
#ifndef PLANECAST_PROBE_TRANSFER_H
#define PLANECAST_PROBE_TRANSFER_H

#include <stdbool.h>
#include <stddef.h>

#define TRANSFER_SLICES 400

/* TSC cycles a line, by slice. */
struct transfer_test {
    int cpu, other;
    size_t count;
    float alone[TRANSFER_SLICES]; /* one line, waited for: half a round trip */
    float read[TRANSFER_SLICES];  /* many lines that `other` wrote, read in no order */
    float write[TRANSFER_SLICES]; /* many lines that `other` wrote, written without being read */
};

enum { PING_PONG_SLICES = 100, PING_PONG_CANARIES = 32 };

/* Of one line alone, by slice: half a round trip, in TSC cycles. Takes a few milliseconds; the
 * caller runs on another. How many slices; 0 if no thread could be put on `other`. */
size_t transfer_ping_pong(int other, float slices[PING_PONG_SLICES]);

/* Takes about 100 ms; the caller runs on `cpu`. False if no thread could be put on `other`. */
bool transfer_measure(struct transfer_test *test, int cpu, int other);

#endif
