/* SPDX-License-Identifier: Apache-2.0
 *
 * The node that makes packets is passed through, put to sleep and measured, in the place of a
 * library's; and held at the end of the lead while packets are counted.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "counting.h"
#include "lanes.h"
#include "source.h"

uintptr_t pg_input(void *vlib, void *node, void *frame);

static int failures;
static atomic_bool over;
static uint64_t calls;

static void require(bool condition, const char *what)
{
    if (!condition) {
        printf("not so: %s\n", what);
        failures++;
    }
}

static bool answers(const char *request, const char *with)
{
    char said[256] = "";
    FILE *out = fmemopen(said, sizeof said, "w");
    bool ours = source_answer(request, out);
    fclose(out);
    return ours && strstr(said, with) != NULL;
}

static void *forward(void *unused)
{
    (void)unused;
    while (!atomic_load(&over))
        pg_input(&calls, NULL, NULL);
    return NULL;
}

static void measured(void)
{
    pthread_t thread;
    const struct windows_wanted wanted = {.count = 3, .packets = 800, .warmup = 80, .burst = 8};
    require(answers("attach port=0", "waiting"), "there is no stream at first");
    require(!answers("stats port=0", ""), "it has no ports");
    require(pg_input(&calls, NULL, NULL) == 8, "packets pass");
    pthread_create(&thread, NULL, forward, NULL);
    require(answers("attach port=0", "\"tsc_hz\": "), "it is there");
    uint64_t asleep = calls;
    const struct timespec moment = {.tv_nsec = 50000000};
    nanosleep(&moment, NULL);
    require(calls == asleep, "none is made while it sleeps");
    require(windows_prepare(&lanes_at(0)->meter, &wanted, 0, 1), "there is room");
    require(lanes_measure(10.0), "it is over in time");
    const struct window *windows = lanes_at(0)->meter.windows;
    for (int i = 0; i < 3; i++)
        require(windows[i].packets == 800 && windows[i].bursts == 100, "windows are whole");
    uint64_t made = calls;
    lanes_release();
    nanosleep(&moment, NULL);
    require(calls == made, "none is made when it is released");
    atomic_store(&over, true);
    pthread_join(thread, NULL);
}

/* In a process of its own: it ends with the window. */
static void counted(const char *folder)
{
    char asked[512], path[256];
    int status = 0;
    snprintf(asked, sizeof asked,
             "burst=8 lead=80 warmup=8 packets=800 hold=%s/hold report=%s/report", folder, folder);
    pid_t child = fork();
    if (child == 0) {
        setenv("PLANECAST_COUNT", asked, 1);
        counting_start();
        for (int i = 0; i < 10; i++)
            pg_input(&calls, NULL, NULL);
        uint64_t led = calls;
        snprintf(path, sizeof path, "%s/hold", folder);
        if (pg_input(&calls, NULL, NULL) != 0 || calls != led)
            _exit(3); /* it was to be held */
        fclose(fopen(path, "w"));
        for (int i = 0; i < 1000; i++)
            pg_input(&calls, NULL, NULL);
        _exit(4); /* the window was to end it */
    }
    waitpid(child, &status, 0);
    require(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the window ends the process");
    char line[256] = "";
    snprintf(path, sizeof path, "%s/report", folder);
    FILE *report = fopen(path, "r");
    require(report != NULL && fgets(line, sizeof line, report) != NULL, "there is a report");
    require(strstr(line, "\"packets\": 800, \"polls\": 100") != NULL, "it is of whole bursts");
    if (report != NULL)
        fclose(report);
    for (const char **name = (const char *[]){"report", "hold", "hold.led", NULL}; *name; name++) {
        snprintf(path, sizeof path, "%s/%s", folder, *name);
        require(unlink(path) == 0, *name);
    }
}

int main(void)
{
    char folder[] = "planecast-vpp-test-XXXXXX"; /* where the test runs */
    measured();
    require(mkdtemp(folder) != NULL, "there is a folder");
    counted(folder);
    rmdir(folder);
    return failures == 0 ? 0 : 1;
}
