/* SPDX-License-Identifier: Apache-2.0
 *
 * planecast-distances: reads addresses (hexadecimal, separated by white space) and prints the stack
 * distance of each one's line of 64 bytes, or "cold".
 */
#include <cinttypes>
#include <cstdio>

#include "stack_distance.hpp"

int main()
{
    planecast::StackDistance distances(16); /* few slots, so that they are numbered again often */
    uint64_t address;
    int read;
    while ((read = scanf("%" SCNx64, &address)) == 1) {
        const uint64_t distance = distances.touch(address >> 6);
        if (distance == planecast::StackDistance::COLD)
            puts("cold");
        else
            printf("%" PRIu64 "\n", distance);
    }
    if (read != EOF) {
        fputs("planecast-distances: this is no address\n", stderr);
        return 2;
    }
    return 0;
}
