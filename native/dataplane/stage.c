/* SPDX-License-Identifier: Apache-2.0 */
#include "stage.h"

#include "stages/stages.h"

#define NEEDS(id) (1U << (id))

const struct stage stages[STAGES] = {
    [STAGE_ACL] = {.name = "acl", .run = stage_acl, .create = acl_create, .destroy = acl_destroy},
    [STAGE_KEY] = {.name = "key", .run = stage_key},
    [STAGE_CLASSIFY] = {.name = "classify",
                        .run = stage_classify,
                        .create = classify_create,
                        .destroy = classify_destroy,
                        .needs = NEEDS(STAGE_KEY)},
    [STAGE_ACTIONS] = {.name = "actions",
                       .run = stage_actions,
                       .create = actions_create,
                       .destroy = actions_destroy,
                       .needs = NEEDS(STAGE_KEY),
                       .timed = true},
    [STAGE_ROUTE] = {.name = "route",
                     .run = stage_route,
                     .create = route_create,
                     .destroy = route_destroy,
                     .needs = NEEDS(STAGE_KEY)},
    [STAGE_DOWNROUTE] = {.name = "downroute",
                         .run = stage_downroute,
                         .create = downroute_create,
                         .destroy = downroute_destroy},
    [STAGE_QINQ] = {.name = "qinq", .run = stage_qinq, .needs = NEEDS(STAGE_DOWNROUTE)},
    [STAGE_TM] = {.name = "tm",
                  .run = stage_tm,
                  .create = tm_create,
                  .destroy = tm_destroy,
                  .needs = NEEDS(STAGE_DOWNROUTE),
                  .held = tm_held,
                  .flush = tm_flush},
    [STAGE_COMPUTE] = {.name = "compute",
                       .run = stage_compute,
                       .create = compute_create,
                       .destroy = compute_destroy},
};
