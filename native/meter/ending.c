/* SPDX-License-Identifier: Apache-2.0 */
#include "ending.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dpdk.h"

enum { POLITE_SECONDS = 3 };

/* EAL's folder, and the two above it, which were made for this run; a folder that holds something
 * else stays. Two threads may do so at once, of which one ends the process: what the other has
 * removed by then is no reason to leave the rest. */
void ending_clean(void)
{
    char path[512];
    if (getenv("RUNTIME_DIRECTORY") == NULL)
        return;
    const char *(*folder_of)(void) = DPDK(rte_eal_get_runtime_dir);
    const char *runtime = folder_of != NULL ? folder_of() : NULL;
    if (runtime == NULL || runtime[0] == '\0')
        return;
    snprintf(path, sizeof path, "%s", runtime);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(folder), entry->d_name, 0);
    }
    if (folder != NULL)
        closedir(folder);
    for (int level = 0; level < 3 && (rmdir(path) == 0 || errno == ENOENT); level++) {
        char *slash = strrchr(path, '/');
        if (slash != NULL)
            *slash = '\0';
    }
}

void ending_now(void)
{
    ending_clean();
    kill(getpid(), SIGTERM); /* a port that is closed removes its own sockets */
    sleep(POLITE_SECONDS);
    kill(getpid(), SIGKILL);
}
