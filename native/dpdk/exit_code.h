/* SPDX-License-Identifier: Apache-2.0
 *
 * How every program of planecast ends.
 */
#ifndef PLANECAST_EXIT_CODE_H
#define PLANECAST_EXIT_CODE_H

enum exit_code {
    EXIT_DONE = 0,
    EXIT_FAILED = 1,
    EXIT_BAD_INPUT = 2,
    EXIT_MISSING = 3, /* something that the machine lacks */
    EXIT_INTERRUPTED = 130
};

#endif
