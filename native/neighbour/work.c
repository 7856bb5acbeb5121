/* SPDX-License-Identifier: Apache-2.0 */
#include "work.h"

const char *const work_names[] = {
    [WORK_IDLE] = "idle", [WORK_WALK] = "walk", [WORK_STREAM] = "stream", [WORK_SPIN] = "spin"};
