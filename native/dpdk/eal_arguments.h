/* SPDX-License-Identifier: Apache-2.0
 *
 * EAL's command line, from what a program asks for and the user's own words.
 */
#ifndef PLANECAST_EAL_ARGUMENTS_H
#define PLANECAST_EAL_ARGUMENTS_H

#include "eal_start.h"

enum { EAL_WORDS_MAX = 128, EAL_LCORES_TEXT = 1024 };

/* The words, and the texts that some of them point to: EAL keeps the pointers. */
struct eal_arguments {
    int count;
    char *word[EAL_WORDS_MAX];
    char lcores[EAL_LCORES_TEXT], memory[16], prefix[32], simd[48];
};

/* Whether the user's words name a PCI device, or a virtio-user one. */
bool eal_names_pci(int count, char **words);
bool eal_names_virtio_user(int count, char **words);

/* Fills `arguments`; `hugepages` is whether there are enough of them, `pid` makes the prefix. The
 * user's words come last. False, with a sentence in `error`, for more words than there is room. */
bool eal_arguments_make(struct eal_arguments *arguments, const struct eal_request *request,
                        bool hugepages, int pid, int extra_count, char **extra, char *error,
                        size_t error_bytes);

#endif
