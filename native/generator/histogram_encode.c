/* SPDX-License-Identifier: Apache-2.0
 *
 * Source of the format: HdrHistogram's AbstractHistogram.java (encodeIntoCompressedByteBuffer) and
 * ZigZagEncoding. Compressed means a zlib stream; ours has stored blocks only (RFC 1951, 3.2.4), so
 * that no library is needed for a few kilobytes.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"

enum {
    COOKIE_COUNTS = 0x1C849303 | 0x10,
    COOKIE_COMPRESSED = 0x1C849304 | 0x10,
    HEADER_BYTES = 40,
    STORED_MAX = 65535,
    COUNT_BYTES = 9, /* the longest that one is */
};

struct bytes {
    uint8_t *data;
    size_t used;
};

static void put(struct bytes *bytes, uint64_t value, int count)
{
    for (int i = count - 1; i >= 0; i--)
        bytes->data[bytes->used++] = (uint8_t)(value >> 8 * i);
}

/* A number that zigzag made even or odd by its sign: seven bits a byte, the lowest first; the ninth
 * has eight. */
static void put_zigzag(struct bytes *bytes, uint64_t value)
{
    for (int i = 1; i < COUNT_BYTES && value > 0x7F; i++) {
        bytes->data[bytes->used++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes->data[bytes->used++] = (uint8_t)value;
}

/* A count n as 2n; a run of n empty buckets as -n, so 2n - 1, but one empty bucket as its count. */
static void put_counts(struct bytes *bytes, const struct histogram *histogram)
{
    uint64_t empty = 0;
    uint32_t end = histogram->count > 0 ? histogram_index(histogram->max) + 1 : 0;
    for (uint32_t i = 0; i < end; i++) {
        if (histogram->counts[i] == 0) {
            empty++;
            continue;
        }
        if (empty > 0)
            put_zigzag(bytes, empty == 1 ? 0 : 2 * empty - 1);
        empty = 0;
        put_zigzag(bytes, 2 * histogram->counts[i]);
    }
}

static void put_histogram(struct bytes *bytes, const struct histogram *histogram)
{
    const double ratio = 1;
    uint64_t ratio_bits = 0;
    memcpy(&ratio_bits, &ratio, sizeof ratio);
    struct bytes counts = {bytes->data + HEADER_BYTES, 0};
    put_counts(&counts, histogram);
    put(bytes, COOKIE_COUNTS, 4);
    put(bytes, counts.used, 4);
    put(bytes, 0, 4); /* normalizing offset */
    put(bytes, HISTOGRAM_DIGITS, 4);
    put(bytes, 1, 8);             /* lowest value */
    put(bytes, HISTOGRAM_MAX, 8); /* highest */
    put(bytes, ratio_bits, 8);
    bytes->used += counts.used;
}

/* RFC 1950: the checksum at a zlib stream's end. */
static uint32_t adler32(const uint8_t *data, size_t count)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    return b << 16 | a;
}

static void put_stored(struct bytes *out, const struct bytes *in)
{
    put(out, 0x7801, 2);
    size_t at = 0;
    do {
        size_t count = in->used - at < STORED_MAX ? in->used - at : STORED_MAX;
        put(out, at + count == in->used, 1);
        for (int turn = 0; turn < 2; turn++) { /* the length, then its complement */
            size_t length = turn == 0 ? count : ~count;
            put(out, length & 0xFF, 1);
            put(out, length >> 8 & 0xFF, 1);
        }
        memcpy(out->data + out->used, in->data + at, count);
        out->used += count;
        at += count;
    } while (at < in->used);
    put(out, adler32(in->data, in->used), 4);
}

static void print_base64(FILE *out, const struct bytes *bytes)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t at = 0; at < bytes->used; at += 3) {
        uint32_t three = 0;
        size_t left = bytes->used - at;
        for (size_t i = 0; i < 3; i++)
            three = three << 8 | (i < left ? bytes->data[at + i] : 0U);
        fputc(digit[three >> 18], out);
        fputc(digit[three >> 12 & 63], out);
        fputc(left > 1 ? digit[three >> 6 & 63] : '=', out);
        fputc(left > 2 ? digit[three & 63] : '=', out);
    }
}

int histogram_encode(FILE *out, const struct histogram *histogram)
{
    size_t room = HEADER_BYTES + (size_t)HISTOGRAM_BUCKETS * COUNT_BYTES;
    struct bytes plain = {malloc(room), 0}, packed = {malloc(2 * room), 0};
    bool fine = plain.data != NULL && packed.data != NULL;
    if (fine) {
        put_histogram(&plain, histogram);
        packed.used = 8;
        put_stored(&packed, &plain);
        struct bytes head = {packed.data, 0};
        put(&head, COOKIE_COMPRESSED, 4);
        put(&head, packed.used - 8, 4);
        print_base64(out, &packed);
    }
    free(plain.data);
    free(packed.data);
    return fine;
}
