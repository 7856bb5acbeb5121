/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel.h"

#include <stdbool.h>
#include <stddef.h>

/* Marsaglia's xorshift of 32 bits; 0 would stay 0. */
static uint32_t next_random(uint32_t *state)
{
    uint32_t x = *state;
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

uint32_t kernel_crc(uint32_t crc, uint32_t word)
{
    crc = ~crc ^ word;
    for (int bit = 0; bit < 32; bit++)
        crc = crc >> 1 ^ (0xEDB88320U & (0U - (crc & 1U)));
    return ~crc;
}

/* In the order of the nodes' places times a factor without a common divisor: a walk jumps. */
static struct kernel_node *make_list(struct kernel *kernel, uint32_t *random)
{
    struct kernel_node *list = NULL;
    for (uint32_t i = 0; i < KERNEL_NODES; i++) {
        uint32_t place = i * 29 % KERNEL_NODES;
        struct kernel_node *node = &kernel->node[place];
        *node = (struct kernel_node){list, (int16_t)(next_random(random) % 97), (uint16_t)place};
        list = node;
    }
    return list;
}

struct kernel_node *kernel_reverse(struct kernel_node *list)
{
    struct kernel_node *reversed = NULL;
    while (list != NULL) {
        struct kernel_node *next = list->next;
        list->next = reversed;
        reversed = list;
        list = next;
    }
    return reversed;
}

static struct kernel_node *merge(struct kernel_node *a, struct kernel_node *b)
{
    struct kernel_node *merged = NULL, **end = &merged;
    while (a != NULL && b != NULL) {
        struct kernel_node **first = b->value < a->value ? &b : &a;
        *end = *first;
        end = &(*first)->next;
        *first = *end;
    }
    *end = a != NULL ? a : b;
    return merged;
}

/* Bottom up: bin i is empty or a sorted list of 2^i nodes, as the bits of a counter. */
struct kernel_node *kernel_sort(struct kernel_node *list)
{
    enum { BINS = 16 };
    struct kernel_node *bin[BINS] = {NULL};
    while (list != NULL) {
        struct kernel_node *carry = list;
        list = list->next;
        carry->next = NULL;
        int i = 0;
        for (; i < BINS - 1 && bin[i] != NULL; i++) {
            carry = merge(bin[i], carry); /* the bin's nodes came first */
            bin[i] = NULL;
        }
        bin[i] = bin[i] == NULL ? carry : merge(bin[i], carry);
    }
    struct kernel_node *sorted = NULL;
    for (int i = 0; i < BINS; i++)
        sorted = merge(bin[i], sorted);
    return sorted;
}

static uint32_t run_list(struct kernel *kernel, uint32_t *random)
{
    struct kernel_node *list = make_list(kernel, random);
    uint32_t crc = 0;
    for (int i = 0; i < 8; i++) { /* where each of eight values is; some are not there */
        int16_t wanted = (int16_t)(next_random(random) % 97);
        uint32_t steps = 0;
        for (const struct kernel_node *at = list; at != NULL && at->value != wanted; at = at->next)
            steps++;
        crc = kernel_crc(crc, steps);
    }
    list = kernel_sort(kernel_reverse(list));
    uint32_t position = 0, sum = 0;
    for (const struct kernel_node *at = list; at != NULL; at = at->next)
        sum += ++position * (uint32_t)(at->value + at->tag);
    return kernel_crc(crc, sum);
}

static uint32_t run_matrix(struct kernel *kernel, uint32_t *random)
{
    for (int row = 0; row < KERNEL_SIDE; row++) {
        for (int column = 0; column < KERNEL_SIDE; column++) {
            kernel->left[row][column] = (int16_t)(next_random(random) & 0x3FF);
            kernel->right[row][column] = (int16_t)(kernel->left[row][column] ^ 0x155);
        }
    }
    uint32_t crc = 0;
    for (int row = 0; row < KERNEL_SIDE; row++) {
        uint32_t sum = 0;
        for (int column = 0; column < KERNEL_SIDE; column++) {
            int32_t product = 0;
            for (int k = 0; k < KERNEL_SIDE; k++)
                product += kernel->left[row][k] * kernel->right[k][column];
            kernel->product[row][column] = product;
            sum = sum << 3 ^ sum >> 29 ^ (uint32_t)product;
        }
        crc = kernel_crc(crc, sum);
    }
    return crc;
}

enum scan_state {
    SCAN_START,
    SCAN_SIGN,
    SCAN_ZERO,
    SCAN_WHOLE,
    SCAN_POINT,
    SCAN_FRACTION,
    SCAN_PREFIX,
    SCAN_HEX,
    SCAN_BAD,
    SCANS
};

static const uint8_t kind_of_end[SCANS] = {
    [SCAN_START] = NUMBER_NONE,  [SCAN_SIGN] = NUMBER_BAD,  [SCAN_ZERO] = NUMBER_WHOLE,
    [SCAN_WHOLE] = NUMBER_WHOLE, [SCAN_POINT] = NUMBER_BAD, [SCAN_FRACTION] = NUMBER_FRACTION,
    [SCAN_PREFIX] = NUMBER_BAD,  [SCAN_HEX] = NUMBER_HEX,   [SCAN_BAD] = NUMBER_BAD,
};

static enum scan_state scan(enum scan_state state, char c)
{
    bool digit = c >= '0' && c <= '9';
    switch (state) {
    case SCAN_START:
        if (c == '+' || c == '-')
            return SCAN_SIGN;
        /* fallthrough */
    case SCAN_SIGN:
        if (c == '0')
            return SCAN_ZERO;
        return digit ? SCAN_WHOLE : SCAN_BAD;
    case SCAN_ZERO:
        if (c == 'x')
            return SCAN_PREFIX;
        /* fallthrough */
    case SCAN_WHOLE:
        if (c == '.')
            return SCAN_POINT;
        return digit ? SCAN_WHOLE : SCAN_BAD;
    case SCAN_POINT:
    case SCAN_FRACTION:
        return digit ? SCAN_FRACTION : SCAN_BAD;
    case SCAN_PREFIX:
    case SCAN_HEX:
        return digit || (c >= 'a' && c <= 'f') ? SCAN_HEX : SCAN_BAD;
    default:
        return SCAN_BAD;
    }
}

void kernel_count_numbers(const char *text, uint32_t bytes, uint32_t *count)
{
    enum scan_state state = SCAN_START;
    for (uint32_t i = 0; i < bytes; i++) {
        if (text[i] != ',') {
            state = scan(state, text[i]);
            continue;
        }
        count[kind_of_end[state]]++;
        state = SCAN_START;
    }
    count[kind_of_end[state]]++;
}

static uint32_t run_text(struct kernel *kernel, uint32_t *random)
{
    static const char *const words[] = {"17",   "-4096", "3.25", "0x1f,", "+0.5", "12.",
                                        "8x,1", "0x",    "-77",  "0",     "9e9",  "0xcafe",
                                        "1.5.", "+",     "640",  "-0.125"};
    uint32_t used = 0;
    while (used < KERNEL_TEXT_BYTES) {
        const char *word = words[next_random(random) % 16];
        for (; *word != '\0' && used < KERNEL_TEXT_BYTES; word++)
            kernel->text[used++] = *word;
        if (used < KERNEL_TEXT_BYTES)
            kernel->text[used++] = ',';
    }
    uint32_t count[NUMBERS] = {0}, crc = 0;
    kernel_count_numbers(kernel->text, KERNEL_TEXT_BYTES, count);
    for (int kind = 0; kind < NUMBERS; kind++)
        crc = kernel_crc(crc, count[kind]);
    return crc;
}

uint32_t kernel_run(struct kernel *kernel, uint32_t seed)
{
    uint32_t random = seed * 2654435761U | 1;
    uint32_t crc = run_list(kernel, &random);
    crc = kernel_crc(crc, run_matrix(kernel, &random));
    return kernel_crc(crc, run_text(kernel, &random));
}
