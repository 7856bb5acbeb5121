/* SPDX-License-Identifier: Apache-2.0
 *
 * Firewall: `acl_rules` rules over five fields (protocol, source and destination prefix, source and
 * destination port range), searched by rte_acl's multi-bit tries. A packet that no rule permits
 * drops.
 *
 * Rule i permits UDP from 0.0.0.0/8, ports 1024-65535, to the i-th prefix of an even split of the
 * address space, ports 0-1023: all five fields are tested, and every packet of the profile has a
 * rule.
 */
#include <rte_acl.h>
#include <rte_errno.h>

#include "../config.h"
#include "../headers.h"
#include "../partition.h"
#include "../stage.h"
#include "../traffic.h"

enum { FIELD_PROTOCOL, FIELD_SOURCE, FIELD_DESTINATION, FIELD_SOURCE_PORT, FIELD_DESTINATION_PORT };
enum { FIELDS = 5 };

/* rte_acl splits the rules over several tries, and walks them all for every packet, unless it is
 * reported that memory is no object: with no limit given it caps a trie at 2 K nodes, with one at
 * 16 K. For 4,096 rules that is the difference between several tries and one. */
static const size_t TRIE_MEMORY_BYTES = 256UL << 20;

RTE_ACL_RULE_DEF(acl_rule, FIELDS);

/* Offsets count from the protocol byte: rte_acl wants a first field of one byte, then groups of
 * four. */
#define FROM_PROTOCOL(offset) ((offset)-OFFSET_IP_PROTOCOL)

static const struct rte_acl_field_def field_defs[FIELDS] = {
    {RTE_ACL_FIELD_TYPE_BITMASK, 1, FIELD_PROTOCOL, 0, 0},
    {RTE_ACL_FIELD_TYPE_MASK, 4, FIELD_SOURCE, 1, FROM_PROTOCOL(OFFSET_IP_SOURCE)},
    {RTE_ACL_FIELD_TYPE_MASK, 4, FIELD_DESTINATION, 2, FROM_PROTOCOL(OFFSET_IP_DESTINATION)},
    {RTE_ACL_FIELD_TYPE_RANGE, 2, FIELD_SOURCE_PORT, 3, FROM_PROTOCOL(OFFSET_PORTS)},
    {RTE_ACL_FIELD_TYPE_RANGE, 2, FIELD_DESTINATION_PORT, 3, FROM_PROTOCOL(OFFSET_PORTS + 2)},
};

static struct acl_rule make_rule(uint32_t count, uint32_t index)
{
    struct prefix destination = partition_prefix(count, index);
    struct acl_rule rule = {
        .data = {.category_mask = 1, .priority = 1, .userdata = index + 1},
    };
    rule.field[FIELD_PROTOCOL].value.u8 = PROTOCOL_UDP;
    rule.field[FIELD_PROTOCOL].mask_range.u8 = UINT8_MAX;
    rule.field[FIELD_SOURCE].value.u32 = SOURCE_PREFIX;
    rule.field[FIELD_SOURCE].mask_range.u32 = SOURCE_PREFIX_DEPTH;
    rule.field[FIELD_DESTINATION].value.u32 = destination.address;
    rule.field[FIELD_DESTINATION].mask_range.u32 = destination.depth;
    rule.field[FIELD_SOURCE_PORT].value.u16 = SOURCE_PORT_MIN;
    rule.field[FIELD_SOURCE_PORT].mask_range.u16 = UINT16_MAX;
    rule.field[FIELD_DESTINATION_PORT].value.u16 = 0;
    rule.field[FIELD_DESTINATION_PORT].mask_range.u16 = DESTINATION_PORT_MAX;
    return rule;
}

static void *create_tables(const struct stage_site *site)
{
    const struct config *config = site->config;
    char name[RTE_ACL_NAMESIZE];
    snprintf(name, sizeof name, "firewall_%d", site->socket);
    struct rte_acl_param parameters = {
        .name = name,
        .socket_id = site->socket,
        .rule_size = RTE_ACL_RULE_SZ(FIELDS),
        .max_rule_num = config->acl_rules,
    };
    struct rte_acl_ctx *context = rte_acl_create(&parameters);
    if (context == NULL)
        return stage_fails(site, "no ACL context: %s", rte_strerror(rte_errno));
    int rc = 0;
    for (uint32_t i = 0; i < config->acl_rules && rc == 0; i++) {
        struct acl_rule rule = make_rule(config->acl_rules, i);
        rc = rte_acl_add_rules(context, (const struct rte_acl_rule *)&rule, 1);
    }
    struct rte_acl_config build = {
        .num_categories = 1, .num_fields = FIELDS, .max_size = TRIE_MEMORY_BYTES};
    memcpy(build.defs, field_defs, sizeof field_defs);
    if (rc == 0)
        rc = rte_acl_build(context, &build);
    if (rc == 0)
        return context;
    rte_acl_free(context);
    return stage_fails(site, "the ACL of %u rules can't be built: %s", config->acl_rules,
                       rte_strerror(-rc));
}

static void destroy_tables(void *tables)
{
    rte_acl_free(tables);
}

/* Tries: up to so much a rule seen. */
static uint64_t table_bytes(const struct config *config)
{
    return config->acl_rules * UINT64_C(16384);
}

static SLOW_PATH drop_denied(struct burst *burst, const uint32_t *rule)
{
    uint8_t verdict[BURST_MAX];
    for (uint16_t i = 0; i < burst->count; i++)
        verdict[i] = rule[i] == 0 ? DROP_ACL : DROP_NONE;
    burst_drop(burst, verdict);
}

/* Packets that rte_acl is given for `count`. It searches 4, 8 or 16 at a time and begins with as
 * many as it has: what is fewer than 8, or than 16, takes a narrower search twice, which costs more
 * than the next wider one once (docs/explanation/dataplane.md, "Bursts"). */
static inline uint32_t searched_together(uint32_t count)
{
    return count <= 8 ? (count <= 4 ? 4 : 8) : RTE_MAX(16U, RTE_ALIGN_CEIL(count, 8U));
}

STAGE_FUNCTION(acl)
{
    const uint8_t *data[BURST_MAX];
    uint32_t rule[BURST_MAX];
    uint32_t count = burst->count;
    uint32_t searched = searched_together(count);
    if (unlikely(count == 0)) /* a port's packets were all bad */
        return;
    for (uint32_t i = 0; i < count; i++)
        data[i] = burst->frame[i] + OFFSET_IP_PROTOCOL;
    for (uint32_t i = count; i < searched; i++)
        data[i] = data[0]; /* its rule is not looked at */
    rte_acl_classify(context, data, rule, searched, 1);
    uint32_t denied = 0;
    for (uint32_t i = 0; i < count; i++)
        denied |= rule[i] == 0;
    if (unlikely(denied != 0))
        drop_denied(burst, rule);
}

static const struct stage acl = {.name = "acl",
                                 .run = stage_acl,
                                 .create = create_tables,
                                 .destroy = destroy_tables,
                                 .table_bytes = table_bytes};
STAGE_REGISTER(acl)
