/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

#include <math.h>

#include "config.h"
#include "random.h"

static void split(double cycles, uint64_t *whole, uint32_t *part)
{
    *whole = (uint64_t)cycles;
    *part = (uint32_t)((cycles - (double)*whole) * 4294967296.0);
}

static void add(struct schedule *schedule, uint64_t whole, uint32_t part)
{
    uint32_t sum = schedule->next_part + part;
    schedule->next += whole + (sum < part);
    schedule->next_part = sum;
}

static void add_cycles(struct schedule *schedule, double cycles)
{
    uint64_t whole = 0;
    uint32_t part = 0;
    split(cycles, &whole, &part);
    add(schedule, whole, part);
}

/* One packet further. */
static void advance(struct schedule *schedule)
{
    const struct schedule_plan *plan = &schedule->plan;
    schedule->left--;
    schedule->asked++;
    switch (plan->arrivals) {
    case ARRIVALS_POISSON:
        add_cycles(schedule, -log(random_unit(&schedule->random)) * plan->gap);
        break;
    case ARRIVALS_BURST:
        if (++schedule->at < plan->burst_packets)
            break;
        schedule->at = 0;
        add(schedule, schedule->gap, schedule->gap_part);
        break;
    case ARRIVALS_PCAP:
        add_cycles(schedule, plan->gaps[schedule->at]);
        schedule->at = schedule->at + 1 == plan->gap_count ? 0 : schedule->at + 1;
        break;
    default:
        add(schedule, schedule->gap, schedule->gap_part);
    }
}

void schedule_begin(struct schedule *schedule, const struct schedule_plan *plan, uint64_t start)
{
    *schedule = (struct schedule){.plan = *plan,
                                  .next = start,
                                  .random = plan->seed,
                                  .left = plan->packets == 0 ? UINT64_MAX : plan->packets};
    if (plan->until == 0)
        schedule->plan.until = UINT64_MAX;
    split(plan->arrivals == ARRIVALS_BURST ? plan->burst_gap : plan->gap, &schedule->gap,
          &schedule->gap_part);
}

/* Of constant arrivals: those that are due before `end`. */
static uint32_t take_even(struct schedule *schedule, uint64_t end, uint64_t *due, uint32_t room)
{
    uint64_t next = schedule->next, gap = schedule->gap;
    uint32_t part = schedule->next_part, gap_part = schedule->gap_part, taken = 0;
    room = schedule->left < room ? (uint32_t)schedule->left : room;
    while (taken < room && next < end) {
        due[taken++] = next;
        part += gap_part;
        next += gap + (part < gap_part);
    }
    schedule->next = next;
    schedule->next_part = part;
    schedule->left -= taken;
    schedule->asked += taken;
    return taken;
}

uint32_t schedule_take(struct schedule *schedule, uint64_t now, uint64_t *due, uint32_t room)
{
    uint32_t taken = 0;
    uint64_t until = schedule->plan.until;
    if (schedule->plan.always) {
        room = now < until ? room : 0;
        taken = schedule->left < room ? (uint32_t)schedule->left : room;
        for (uint32_t i = 0; i < taken; i++)
            due[i] = now;
        schedule->left -= taken;
        schedule->asked += taken;
        return taken;
    }
    schedule_give_up(schedule, now);
    if (schedule->plan.arrivals == ARRIVALS_CONSTANT)
        return take_even(schedule, now < until ? now + 1 : until, due, room);
    while (taken < room && schedule->next <= now && schedule->next < until && schedule->left > 0) {
        due[taken++] = schedule->next;
        advance(schedule);
    }
    return taken;
}

bool schedule_over(const struct schedule *schedule, uint64_t now)
{
    uint64_t next = schedule->plan.always ? now : schedule->next;
    return schedule->left == 0 || next >= schedule->plan.until;
}

void schedule_give_up(struct schedule *schedule, uint64_t now)
{
    uint64_t patience = schedule->plan.patience;
    if (!schedule->plan.always && now > patience)
        schedule_end(schedule, now - patience);
}

void schedule_restart_counts(struct schedule *schedule)
{
    schedule->asked = schedule->given_up = 0;
}

void schedule_end(struct schedule *schedule, uint64_t end)
{
    if (schedule->plan.always)
        return;
    end = end < schedule->plan.until ? end : schedule->plan.until;
    while (schedule->next < end && schedule->left > 0) {
        advance(schedule);
        schedule->given_up++;
    }
}
