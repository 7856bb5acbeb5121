/* SPDX-License-Identifier: Apache-2.0
 *
 * A network function: which stages it has and what its packets look like. One process serves one;
 * trials leave stages of it out.
 */
#ifndef PLANECAST_FUNCTION_H
#define PLANECAST_FUNCTION_H

#include "stage.h"

enum function_id {
    FUNCTION_VPE_UPSTREAM,
    FUNCTION_L2PATCH,
    FUNCTION_VPE_DOWNSTREAM,
    FUNCTION_COMPUTE,
    FUNCTION_MACSWAP,
    FUNCTION_L2BRIDGE,
    FUNCTION_IP4,
    FUNCTIONS
};

/* What the in-process source makes, and what a port's packets are checked for on arrival. */
enum packet_format {
    FORMAT_QINQ,  /* QinQ, IPv4, UDP: checked for tags, version, options and length */
    FORMAT_PLAIN, /* Ethernet, IPv4, UDP; MAC addresses are the flow's: not checked here */
    FORMAT_TUPLE, /* plain, but its five-tuple is the flow's: not checked */
};

struct function {
    const char *name;
    const char *meaning;
    enum packet_format format;
    uint32_t stages; /* bit set of enum stage_id */
    bool chooses;    /* its stages say for each packet where it goes: burst->out */
};

extern const struct function functions[FUNCTIONS];

/* Reads "acl,key,route", "none" or "all" as an ordered part of the function's stages; false with a
 * sentence in `error` on a bad name, order or need. */
bool pipeline_parse(const struct function *function, const char *text, struct pipeline *pipeline,
                    char *error, size_t error_bytes);

/* The stage that says where a packet goes, as a bit: its last one; 0 when none does. */
uint32_t function_chooser(const struct function *function);

/* "acl, key, classify": its stages in order. */
void function_stages_text(const struct function *function, char *text, size_t text_bytes);

#endif
