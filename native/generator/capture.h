/* SPDX-License-Identifier: Apache-2.0
 *
 * The times of a capture: classic pcap files of either byte order, in microseconds or nanoseconds.
 * Our own reader, because the times are all that is wanted, and libpcap would round nanoseconds
 * where it is not asked in time.
 */
#ifndef PLANECAST_GENERATOR_CAPTURE_H
#define PLANECAST_GENERATOR_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CAPTURE_PACKETS_MAX = 1 << 24 };

struct capture {
    uint32_t count; /* packets, two or more */
    double *gaps;   /* [count] seconds from each packet to the next; after the last, the mean */
    double *cycles; /* [count] for who wants to have them in another unit */
    double mean;    /* seconds */
};

/* False with a sentence in `error`. A packet that is earlier than the one before is as early. */
bool capture_read(const char *path, struct capture *capture, char *error, size_t error_bytes);
void capture_close(struct capture *capture);

#endif
