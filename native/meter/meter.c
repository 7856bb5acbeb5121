/* SPDX-License-Identifier: Apache-2.0
 *
 * planecast-meter.so: loaded (LD_PRELOAD) into a DPDK program that isn't ours, it stands in a
 * port's receive or send function and measures that thread as planecast-dataplane measures itself:
 * windows of a fixed number of packets by the same clock, the same canaries next to each, and sleep
 * between trials, so that two programs can take turns on one CPU.
 *
 * PLANECAST_METER is the file descriptor of a socket that it is asked on (see request.h). When the
 * other end is closed, by whatever means, the program ends and its files go. PLANECAST_METER_PAGES
 * asks for large pages (see pages.c). With PLANECAST_COUNT it marks a window of packets for an
 * instrument instead (see counting.h).
 */
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "counting.h"
#include "ending.h"
#include "request.h"

static bool metered;

static void *serve(void *opaque)
{
    int fd = (int)(intptr_t)opaque;
    char *line = NULL;
    size_t room = 0;
    FILE *in = fdopen(fd, "r"), *out = fdopen(fd, "w");
    while (in != NULL && out != NULL && getline(&line, &room, in) > 0) {
        unsetenv("LD_PRELOAD");    /* programs that this one starts are not to be measured; not */
        request_answer(line, out); /* earlier: it may start by executing itself again */
    }
    ending_now();
    return NULL;
}

__attribute__((constructor)) static void meter_start(void)
{
    const char *fd = getenv("PLANECAST_METER");
    pthread_t thread;
    sigset_t all, kept;
    counting_start();
    if (fd == NULL)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &kept); /* signals are the program's own affair */
    if (pthread_create(&thread, NULL, serve, (void *)(intptr_t)atoi(fd)) == 0)
        pthread_detach(thread);
    pthread_sigmask(SIG_SETMASK, &kept, NULL);
    metered = true;
}

/* A program may see that the other end is gone, by its standard input, and end while the thread
 * above is removing its files. */
__attribute__((destructor)) static void meter_end(void)
{
    if (metered)
        ending_clean();
}
