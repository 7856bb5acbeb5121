/* SPDX-License-Identifier: Apache-2.0
 *
 * Stands in for VPP's library: the node that makes packets, 8 a call.
 */
#include <stdint.h>

__attribute__((visibility("default"))) uintptr_t pg_input(void *vlib, void *node, void *frame)
{
    (void)node, (void)frame;
    ++*(uint64_t *)vlib;
    return 8;
}
