/* SPDX-License-Identifier: Apache-2.0 */
#include "telemetry.h"

#include <rte_telemetry.h>

/* The socket's callbacks get no pointer of ours. */
static struct dataplane *served;

static int serve_stats(const char *command, const char *parameters, struct rte_tel_data *data)
{
    (void)command;
    (void)parameters;
    struct totals totals = dataplane_totals(served);
    rte_tel_data_start_dict(data);
    rte_tel_data_add_dict_u64(data, "packets_in", totals.packets_in);
    rte_tel_data_add_dict_u64(data, "packets_out", totals.packets_out);
    rte_tel_data_add_dict_u64(data, "bursts", totals.bursts);
    rte_tel_data_add_dict_u64(data, "empty_polls", totals.empty_polls);
    for (int cause = DROP_NONE + 1; cause < DROP_CAUSES; cause++) {
        char name[64];
        snprintf(name, sizeof name, "drop_%s", drop_cause_name[cause]);
        rte_tel_data_add_dict_u64(data, name, totals.drops[cause]);
    }
    return 0;
}

void telemetry_open(struct dataplane *dataplane)
{
    served = dataplane;
    rte_telemetry_register_cmd(
        "/planecast/stats", serve_stats,
        "Packets in and out, bursts, empty polls, drops by cause. No parameters.");
}
