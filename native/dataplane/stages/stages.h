/* SPDX-License-Identifier: Apache-2.0
 *
 * What each file of this folder offers; the files' own comments are their manual pages.
 */
#ifndef PLANECAST_STAGES_H
#define PLANECAST_STAGES_H

#include "../stage.h"

void *acl_create(const struct config *config, char *error, size_t error_bytes);
void acl_destroy(void *tables);
STAGE_FUNCTION stage_acl(void *tables, struct burst *burst);

STAGE_FUNCTION stage_key(void *tables, struct burst *burst);

void *classify_create(const struct config *config, char *error, size_t error_bytes);
void classify_destroy(void *tables);
STAGE_FUNCTION stage_classify(void *tables, struct burst *burst);

void *actions_create(const struct config *config, char *error, size_t error_bytes);
void actions_destroy(void *tables);
STAGE_FUNCTION stage_actions(void *tables, struct burst *burst);

void *route_create(const struct config *config, char *error, size_t error_bytes);
void route_destroy(void *tables);
STAGE_FUNCTION stage_route(void *tables, struct burst *burst);

void *downroute_create(const struct config *config, char *error, size_t error_bytes);
void downroute_destroy(void *tables);
STAGE_FUNCTION stage_downroute(void *tables, struct burst *burst);

STAGE_FUNCTION stage_qinq(void *tables, struct burst *burst);

void *tm_create(const struct config *config, char *error, size_t error_bytes);
void tm_destroy(void *tables);
uint64_t tm_held(const void *tables);
void tm_flush(void *tables, struct burst *burst);
STAGE_FUNCTION stage_tm(void *tables, struct burst *burst);

void *compute_create(const struct config *config, char *error, size_t error_bytes);
void compute_destroy(void *tables);
STAGE_FUNCTION stage_compute(void *tables, struct burst *burst);

STAGE_FUNCTION stage_check(void *tables, struct burst *burst);

void *ip4_next_hop_create(const struct config *config, char *error, size_t error_bytes);
void ip4_next_hop_destroy(void *tables);
STAGE_FUNCTION stage_next_hop(void *tables, struct burst *burst);

STAGE_FUNCTION stage_rewrite(void *tables, struct burst *burst);

STAGE_FUNCTION stage_macswap(void *tables, struct burst *burst);

void *learn_create(const struct config *config, char *error, size_t error_bytes);
void learn_destroy(void *tables);
STAGE_FUNCTION stage_learn(void *tables, struct burst *burst);

STAGE_FUNCTION stage_forward(void *tables, struct burst *burst);

#endif
