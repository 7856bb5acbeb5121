/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a packet was dropped. Every packet that came in goes out or is counted under exactly one
 * cause.
 */
#ifndef PLANECAST_DROPS_H
#define PLANECAST_DROPS_H

enum drop_cause {
    DROP_NONE,       /* continues */
    DROP_HEADER,     /* not (QinQ-)IPv4, truncated, or a bad IPv4 header */
    DROP_ACL,        /* no rule permits it */
    DROP_FLOW_MISS,  /* the VLAN pair is in no entry of the flow table */
    DROP_POLICER,    /* the policer of its flow and class drops its colour */
    DROP_ROUTE_MISS, /* no route to its destination */
    DROP_TTL,        /* its time to live ended here */
    DROP_FILTERED,   /* it would leave by the port that it came in by, or is for its link only */
    DROP_OVERSIZE,   /* longer than the output's MTU */
    DROP_TM,         /* the traffic manager's queue was full, or RED said so */
    DROP_COMPUTE,    /* the compute reference had a wrong result */
    DROP_OPTIONS,    /* an IPv4 header with options, which nobody here obeys */
    DROP_CHECKSUM,   /* the IPv4 header's is wrong */
    DROP_MARTIAN,    /* an address that must not be forwarded: no host's, or a group's */
    DROP_RING,       /* the ring to the next lcore was full */
    DROP_TX,         /* the TX ring was full */
    DROP_CAUSES
};

extern const char *const drop_cause_name[DROP_CAUSES];

#endif
