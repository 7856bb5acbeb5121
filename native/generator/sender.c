/* SPDX-License-Identifier: Apache-2.0 */
#include "sender.h"

#include <rte_cycles.h>

enum { CALLS_PER_SAMPLE = 64 };

void sender_begin(struct sender *sender, uint64_t start)
{
    sender->batch.first = sender->batch.count = 0;
    sender->batch.alone = sender->stream_count == 1;
    sender->last_taken = start;
    sender->gave_up = false;
    sender->done = sender->stream_count == 0;
    sender->paced = false;
    for (uint32_t i = 0; i < sender->stream_count; i++)
        sender->paced |= !sender->stream[i]->schedule.plan.always;
    sender_restart_counts(sender);
}

void sender_restart_counts(struct sender *sender)
{
    sender->calls = sender->packets = sender->refused = sender->no_buffers = 0;
    atomic_store_explicit(&sender->dropped, 0, memory_order_relaxed);
    sender->refused_cycles = sender->sampled_calls = sender->sampled_cycles = 0;
    histogram_clear(&sender->lateness);
}

/* What is due of every stream, up to a burst in all. Streams without due times share what room the
 * others leave. */
static void make_due(struct sender *sender, uint64_t now)
{
    struct batch *batch = &sender->batch;
    uint32_t made = 0, share = sender->burst / sender->stream_count;
    if (share == 0)
        share = 1;
    if (rte_mempool_get_bulk(sender->pool, (void **)batch->mbuf, sender->burst) != 0) {
        sender->no_buffers++;
        batch->first = batch->count = 0;
        return;
    }
    for (uint32_t i = 0; i < sender->stream_count && made < sender->burst; i++) {
        struct stream *stream = sender->stream[i];
        uint32_t room = sender->burst - made;
        if (stream->schedule.plan.always && room > share)
            room = share;
        uint32_t count = schedule_take(&stream->schedule, now, batch->due + made, room);
        if (count > 0)
            stream_make(stream, batch, made, count);
        made += count;
    }
    if (made < sender->burst)
        rte_mempool_put_bulk(sender->pool, (void **)batch->mbuf + made, sender->burst - made);
    batch->first = 0;
    batch->count = made;
}

static bool any_due(const struct sender *sender, uint64_t now)
{
    for (uint32_t i = 0; i < sender->stream_count; i++) {
        const struct schedule *schedule = &sender->stream[i]->schedule;
        if (!schedule_over(schedule, now) && (schedule->plan.always || schedule->next <= now))
            return true;
    }
    return false;
}

static bool any_left(const struct sender *sender, uint64_t now)
{
    for (uint32_t i = 0; i < sender->stream_count; i++) {
        if (!schedule_over(&sender->stream[i]->schedule, now))
            return true;
    }
    return false;
}

/* Counts [from, to) of the batch as sent at `now`. */
static void count_sent(struct sender *sender, uint32_t from, uint32_t to, uint64_t now)
{
    const struct batch *batch = &sender->batch;
    if (sender->stream_count == 1) {
        uint64_t bytes = batch->shape != NULL ? (to - from) * batch->shape->frame_bytes : 0;
        for (uint32_t i = from; i < to && batch->shape == NULL; i++)
            bytes += batch->frame_bytes[i];
        sender->stream[0]->sent += to - from;
        sender->stream[0]->sent_bytes += bytes + (uint64_t)(to - from) * FCS_BYTES;
    } else {
        for (uint32_t i = from; i < to; i++) {
            struct stream *stream = &sender->all[batch->stream[i]];
            stream->sent++;
            stream->sent_bytes += batch->frame_bytes[i] + FCS_BYTES;
        }
    }
    if (sender->paced)
        histogram_add_ages(&sender->lateness, now, batch->due + from, to - from);
    sender->calls++;
    sender->packets += to - from;
    sender->last_taken = now;
}

/* What is left of the batch is dropped: a ring that is full loses what comes. */
static void drop_rest(struct sender *sender)
{
    struct batch *batch = &sender->batch;
    uint32_t left = batch->count - batch->first;
    for (uint32_t i = batch->first; i < batch->count; i++)
        (sender->stream_count == 1 ? sender->stream[0] : &sender->all[batch->stream[i]])->refused++;
    atomic_fetch_add_explicit(&sender->dropped, left, memory_order_relaxed);
    rte_mempool_put_bulk(sender->pool, (void **)batch->mbuf + batch->first, left);
    batch->first = batch->count;
}

static void refused(struct sender *sender, uint64_t now)
{
    sender->refused++;
    if (sender->drops)
        drop_rest(sender);
    for (uint32_t i = 0; i < sender->stream_count; i++)
        schedule_give_up(&sender->stream[i]->schedule, now);
    if (now - sender->last_taken > sender->give_up_cycles)
        sender->gave_up = true;
}

bool sender_turn(struct sender *sender, uint64_t now)
{
    struct batch *batch = &sender->batch;
    if (batch->first == batch->count) {
        if (!any_due(sender, now)) {
            sender->last_taken = now; /* nothing was refused */
            return any_left(sender, now);
        }
        make_due(sender, now);
        if (batch->count == 0)
            return true;
    }
    uint32_t from = batch->first;
    uint64_t stamp = rte_rdtsc();
    batch_stamp(batch, stamp);
    uint16_t taken = port_send(sender->port, batch->mbuf + from, (uint16_t)(batch->count - from));
    if ((sender->calls & (CALLS_PER_SAMPLE - 1)) == 0) {
        sender->sampled_cycles += rte_rdtsc() - stamp;
        sender->sampled_calls++;
    }
    batch->first += taken;
    if (taken > 0)
        count_sent(sender, from, from + taken, stamp);
    if (batch->first < batch->count)
        refused(sender, stamp);
    return !sender->gave_up;
}

void sender_end(struct sender *sender, uint64_t end)
{
    struct batch *batch = &sender->batch;
    uint32_t left = batch->count - batch->first;
    if (left > 0)
        rte_mempool_put_bulk(sender->pool, (void **)batch->mbuf + batch->first, left);
    batch->first = batch->count = 0;
    for (uint32_t i = 0; i < sender->stream_count; i++)
        schedule_end(&sender->stream[i]->schedule, end);
}
