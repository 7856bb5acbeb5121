/* SPDX-License-Identifier: Apache-2.0
 *
 * A stage in one data plane: its tables on each socket, its context for each chain of lcores.
 */
#ifndef PLANECAST_INSTANCE_H
#define PLANECAST_INSTANCE_H

#include "sockets.h"

struct instance {
    const struct stage *stage;
    void *tables[SOCKETS_MAX]; /* NULL: no lcore there runs it, or it has none */
    void *context[LCORES_MAX]; /* [chains]: what `run` is given */
    uint32_t chains;
};

/* Makes what the function's stage at a position needs; instances before it are open. False with a
 * sentence in `error`; what was made goes with instance_close. */
bool instance_open(struct instance *instances, uint32_t position, const struct config *config,
                   char *error, size_t error_bytes);
void instance_close(struct instance *instance);

/* Packets that it holds back, of all chains. */
uint64_t instance_held(const struct instance *instance);

#endif
