/* SPDX-License-Identifier: Apache-2.0
 *
 * The routes of ip4, by a rule that follows the in-process source's destinations, so that these
 * meet routes of every depth.
 *
 * One depth for all (`route_depth = 8` to 32): the prefixes of that depth around the destinations
 * of flow 0, 1, 2 ..., each once. With 32 and as many routes as flows, every flow has a route of
 * its own.
 *
 * Mixed: the first half of the routes, at most 256, split the whole address space evenly (256 of
 * them are the /8s), so that every destination has a route. The others lie around destinations
 * spread evenly over the flows, each of which belongs to one of 64 blocks of consecutive flows; the
 * blocks' depths go from 9 to 32 in turn. Neighbours thus have one depth, or the longer prefixes
 * would hide the shorter ones: when destinations are spread over 128.0.0.0/2, packets meet all
 * depths about equally.
 *
 * When no flow is left to give a new prefix, the rest lie around random addresses; those of mixed
 * depths elsewhere than the flows' destinations.
 */
#ifndef PLANECAST_IP4_ROUTES_H
#define PLANECAST_IP4_ROUTES_H

#include "config.h"
#include "partition.h"

enum { DEPTH_MIXED = 0, DEPTH_MIN = 8, DEPTH_MAX = 32 };

/* config->routes different prefixes, to be freed by the caller; NULL: no memory. */
struct prefix *ip4_routes(const struct config *config);

/* How many groups of the second table (256 addresses, each) prefixes longer than 24 bits take. */
uint32_t ip4_groups(const struct prefix *routes, uint32_t count);

#endif
