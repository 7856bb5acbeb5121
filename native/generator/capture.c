/* SPDX-License-Identifier: Apache-2.0 */
#include "capture.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

enum { FILE_HEADER_BYTES = 24, RECORD_HEADER_BYTES = 16 };

struct format {
    bool swapped;
    double tick; /* seconds */
};

static bool read_format(FILE *file, struct format *format)
{
    uint8_t header[FILE_HEADER_BYTES];
    if (fread(header, sizeof header, 1, file) != 1)
        return false;
    uint32_t magic = load32(header);
    format->swapped = magic == 0xD4C3B2A1 || magic == 0x4D3CB2A1;
    magic = format->swapped ? big32(magic) : magic;
    format->tick = magic == 0xA1B23C4D ? 1e-9 : 1e-6;
    return magic == 0xA1B2C3D4 || magic == 0xA1B23C4D;
}

/* 1: a packet's time; 0: the file is over; -1: it ends within a packet. */
static int read_record(FILE *file, const struct format *format, int64_t *seconds, double *part)
{
    uint8_t header[RECORD_HEADER_BYTES];
    size_t got = fread(header, 1, sizeof header, file);
    uint32_t word[3];
    if (got != sizeof header)
        return got == 0 && !ferror(file) ? 0 : -1;
    for (int i = 0; i < 3; i++) {
        uint32_t value = load32(header + 4 * i);
        word[i] = format->swapped ? big32(value) : value;
    }
    *seconds = word[0];
    *part = word[1] * format->tick;
    uint8_t skipped[4096];
    for (uint32_t left = word[2]; left > 0;) {
        size_t bytes = left < sizeof skipped ? left : sizeof skipped;
        if (fread(skipped, bytes, 1, file) != 1)
            return -1;
        left -= (uint32_t)bytes;
    }
    return 1;
}

/* What is wrong with the file; NULL: nothing. */
static const char *read_gaps(FILE *file, const struct format *format, struct capture *capture)
{
    uint32_t room = 0;
    int64_t seconds = 0, last_seconds = 0;
    double part = 0, last_part = 0, sum = 0;
    int found = 0;
    while ((found = read_record(file, format, &seconds, &part)) > 0) {
        if (capture->count == CAPTURE_PACKETS_MAX)
            return "has more packets than the 16777216 whose times are kept";
        if (capture->count == room) {
            room = room == 0 ? 1024 : 2 * room;
            double *larger = realloc(capture->gaps, room * sizeof *larger);
            if (larger == NULL)
                return "is too long for the memory there is";
            capture->gaps = larger;
        }
        if (capture->count > 0) {
            double gap = (double)(seconds - last_seconds) + (part - last_part);
            capture->gaps[capture->count - 1] = gap > 0 ? gap : 0;
            sum += gap > 0 ? gap : 0;
        }
        last_seconds = seconds;
        last_part = part;
        capture->count++;
    }
    if (found < 0)
        return "ends within a packet";
    if (capture->count < 2 || sum == 0)
        return "has no two packets at different times";
    capture->mean = sum / (capture->count - 1);
    capture->gaps[capture->count - 1] = capture->mean;
    capture->cycles = malloc(capture->count * sizeof *capture->cycles);
    return capture->cycles == NULL ? "is too long for the memory there is" : NULL;
}

bool capture_read(const char *path, struct capture *capture, char *error, size_t error_bytes)
{
    struct format format;
    *capture = (struct capture){0};
    FILE *file = fopen(path, "rb");
    const char *wrong = NULL;
    if (file == NULL)
        wrong = strerror(errno);
    else if (!read_format(file, &format))
        wrong = "is no classic pcap file (pcapng: convert it, such as by editcap -F pcap)";
    else
        wrong = read_gaps(file, &format, capture);
    if (file != NULL)
        fclose(file);
    if (wrong == NULL)
        return true;
    snprintf(error, error_bytes, "%s: %s", path, wrong);
    capture_close(capture);
    return false;
}

void capture_close(struct capture *capture)
{
    free(capture->gaps);
    free(capture->cycles);
    *capture = (struct capture){0};
}
