/* SPDX-License-Identifier: Apache-2.0
 *
 * A network function: which stages it has and what its packets look like. One process serves one;
 * trials leave stages of it out.
 */
#ifndef PLANECAST_NETWORK_FUNCTION_H
#define PLANECAST_NETWORK_FUNCTION_H

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
    const char *stages[STAGES_MAX + 1]; /* names, in the order in which they run; NULL ends them */
    const uint8_t *columns;             /* bytes of each of its bursts' columns; 0 ends them */
    bool chooses; /* its last stage says for each packet where it goes: burst->out */
};

extern const struct function functions[FUNCTIONS];

/* How many stages it has, and the one at a position. */
uint32_t function_length(const struct function *function);
const struct stage *function_stage(const struct function *function, uint32_t position);

/* The position of a stage whose name is `length` bytes of text; -1: it has none. */
int function_find(const struct function *function, const char *name, size_t length);

/* "acl, key, classify": its stages in order. */
void function_stages_text(const struct function *function, char *text, size_t text_bytes);

/* An ordered part of a function's stages: how one burst is treated. */
struct pipeline {
    const struct function *function;
    uint8_t length;
    uint8_t order[STAGES_MAX]; /* positions in the function */
};

bool pipeline_has(const struct pipeline *pipeline, const char *stage);

/* Reads "acl,key,route", "none" or "all" as an ordered part of the function's stages; false with a
 * sentence in `error` on a bad name, order or need. */
bool pipeline_parse(const struct function *function, const char *text, struct pipeline *pipeline,
                    char *error, size_t error_bytes);

/* Whether it says where each packet goes. */
bool pipeline_chooses(const struct pipeline *pipeline);

#endif
