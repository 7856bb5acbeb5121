/* SPDX-License-Identifier: Apache-2.0
 *
 * What the packets of the profile have in common: the source writes it, the ACL's rules permit it.
 */
#ifndef PLANECAST_TRAFFIC_H
#define PLANECAST_TRAFFIC_H

enum {
    SOURCE_PREFIX = 0, /* 0.0.0.0/8, host order */
    SOURCE_PREFIX_DEPTH = 8,
    SOURCE_PORT_MIN = 1024,
    DESTINATION_PORT_MAX = 1023,
    TTL = 64,
};

#endif
