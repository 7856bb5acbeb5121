/* SPDX-License-Identifier: Apache-2.0 */
#include "stage.h"

#include "stages/stages.h"

#define NEEDS(id) (1U << (id))

const struct stage stages[STAGES] = {
    [STAGE_ACL] = {"acl", stage_acl, acl_create, acl_destroy, 0, NULL, NULL},
    [STAGE_KEY] = {"key", stage_key, NULL, NULL, 0, NULL, NULL},
    [STAGE_CLASSIFY] = {"classify", stage_classify, classify_create, classify_destroy,
                        NEEDS(STAGE_KEY), NULL, NULL},
    [STAGE_ACTIONS] = {"actions", stage_actions, actions_create, actions_destroy, NEEDS(STAGE_KEY),
                       NULL, NULL},
    [STAGE_ROUTE] = {"route", stage_route, route_create, route_destroy, NEEDS(STAGE_KEY), NULL,
                     NULL},
};
