/* SPDX-License-Identifier: Apache-2.0 */
#include "sockets.h"

#include <numa.h>

int socket_of_lcore(const struct config *config, uint32_t lcore)
{
    int socket = numa_available() < 0 ? 0 : numa_node_of_cpu((int)config->lcores.cpu[lcore]);
    return socket < 0 || socket >= SOCKETS_MAX ? 0 : socket;
}

uint32_t sockets_of(const struct config *config)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < config->lcores.count; i++)
        seen |= UINT64_C(1) << socket_of_lcore(config, i);
    return (uint32_t)RTE_MAX(__builtin_popcountll(seen), 1);
}

void prefer_socket(int socket)
{
    if (numa_available() >= 0 && numa_max_node() > 0)
        numa_set_preferred(socket);
}

void prefer_here(void)
{
    if (numa_available() >= 0 && numa_max_node() > 0)
        numa_set_localalloc();
}
