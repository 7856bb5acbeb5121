/* SPDX-License-Identifier: Apache-2.0 */
#include "runts.h"

SLOW_PATH drop_runts(struct burst *burst)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = burst->packet[i]->data_len < ETHERNET_BYTES ? DROP_HEADER : DROP_NONE;
    burst_drop(burst, verdict);
}
