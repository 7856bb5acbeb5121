/* SPDX-License-Identifier: Apache-2.0 */
#include "payload.h"

#define AT1(place)   (uint8_t)((place)*37)
#define AT4(place)   AT1(place), AT1((place) + 1), AT1((place) + 2), AT1((place) + 3)
#define AT16(place)  AT4(place), AT4((place) + 4), AT4((place) + 8), AT4((place) + 12)
#define AT64(place)  AT16(place), AT16((place) + 16), AT16((place) + 32), AT16((place) + 48)
#define AT256(place) AT64(place), AT64((place) + 64), AT64((place) + 128), AT64((place) + 192)

const uint8_t payload_row[2 * PAYLOAD_PERIOD] = {AT256(0), AT256(0)};

_Static_assert((37 * PAYLOAD_INVERSE & 0xFF) == 1, "the inverse of 37");

void payload_fill(uint8_t *frame, uint32_t from, uint32_t to)
{
    for (uint32_t at = from; at < to;) {
        uint32_t place = at % PAYLOAD_PERIOD, left = to - at;
        uint32_t count = left < PAYLOAD_PERIOD ? left : PAYLOAD_PERIOD;
        memcpy(frame + at, payload_row + place, count);
        at += count;
    }
}
