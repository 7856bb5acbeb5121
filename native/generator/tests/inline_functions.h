/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator's inline functions as functions that C++ can call: their headers are C.
 */
#ifndef PLANECAST_GENERATOR_TESTS_INLINE_FUNCTIONS_H
#define PLANECAST_GENERATOR_TESTS_INLINE_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct stream_config;

/* Makes `count` packets of a stream, its first ones, and hands each to `look` as bytes. False when
 * it could not. */
struct test_frame {
    const uint8_t *bytes;
    uint32_t length, payload_offset, stream;
    uint64_t sequence, tsc;
};
typedef void test_look(void *opaque, const struct test_frame *frame);
bool test_make(const struct stream_config *config, uint32_t stream, uint32_t count, uint64_t tsc,
               test_look *look, void *opaque);

/* What the receiver says of a frame; `streams` are known. */
struct test_sighting {
    int verdict; /* 0 foreign, 1 corrupt, 2 fine */
    uint32_t stream;
    uint64_t sequence, time;
    bool full;
};
struct test_sighting test_look_at(const uint8_t *bytes, uint32_t length, uint32_t streams);

/* The same with the receiver's counting, of frames that come at `now`. */
struct test_receiver;
struct test_receiver *test_receiver_open(const struct stream_config *config, uint64_t start,
                                         uint64_t tsc_hz);
void test_receiver_count(struct test_receiver *receiver, const uint8_t *bytes, uint32_t length,
                         uint64_t now);
struct test_counts {
    uint64_t received, corrupt, stale, foreign, unique, latency_max;
};
struct test_counts test_receiver_close(struct test_receiver *receiver);

/* Whether it is idle for `cycles` since `since` after a turn at each of these times, of a port with
 * two queues where nothing comes. */
bool test_receiver_idle(const uint64_t *turns, uint32_t count, uint64_t since, uint64_t cycles);

struct sequence;
void test_sequence_see(struct sequence *sequence, uint64_t number);
void test_sequence_see_run(struct sequence *sequence, uint64_t first, uint32_t count);
uint64_t test_sequence_whole(const struct sequence *sequence, uint32_t lower);
uint32_t test_pattern(const uint32_t *weights, uint32_t count, uint8_t *pattern);

#ifdef __cplusplus
}
#endif
#endif
