/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a metered VPP (ending.h): its files are in a folder of whoever started it.
 */
#include <signal.h>
#include <unistd.h>

#include "ending.h"

enum { POLITE_SECONDS = 3 };

void ending_clean(void) {}

void ending_now(void)
{
    kill(getpid(), SIGTERM);
    sleep(POLITE_SECONDS);
    kill(getpid(), SIGKILL);
}
