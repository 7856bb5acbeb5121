/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupts.h"

#include <errno.h>
#include <rte_alarm.h>
#include <rte_interrupts.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct call {
    void (*function)(void *);
    void *argument;
    sem_t done;
};

static void answer(void *argument)
{
    struct call *call = argument;
    call->function(call->argument);
    sem_post(&call->done);
}

void interrupts_call(void (*function)(void *), void *argument)
{
    struct call call = {.function = function, .argument = argument};
    sem_init(&call.done, 0, 0);
    if (rte_eal_alarm_set(1, answer, &call) != 0) {
        function(argument);
        return;
    }
    while (sem_wait(&call.done) != 0 && errno == EINTR) {
    }
}

static sem_t parked;

static void park(void *nothing)
{
    (void)nothing;
    sem_post(&parked);
    for (;;)
        pause();
}

/* An interrupt of ours, not an alarm: EAL's end waits for alarms that run. */
void interrupts_stop(void)
{
    int bell = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    struct rte_intr_handle *handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
    struct timespec deadline;
    clock_gettime(CLOCK_REALTIME, &deadline);
    deadline.tv_sec++;
    sem_init(&parked, 0, 0);
    if (bell < 0 || handle == NULL || rte_intr_fd_set(handle, bell) != 0 ||
        rte_intr_type_set(handle, RTE_INTR_HANDLE_EXT) != 0 ||
        rte_intr_callback_register(handle, park, NULL) != 0)
        return; /* the program's end is near anyhow */
    while (sem_timedwait(&parked, &deadline) != 0 && errno == EINTR) {
    }
}
