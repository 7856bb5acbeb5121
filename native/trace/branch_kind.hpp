/* SPDX-License-Identifier: Apache-2.0
 *
 * How an instruction of x86-64 ends a block: whether it calls, returns, or jumps through a table of
 * procedure linkage; and whether it is a prefetch.
 */
#ifndef PLANECAST_TRACE_BRANCH_KIND_HPP
#define PLANECAST_TRACE_BRANCH_KIND_HPP

#include <cstddef>
#include <cstdint>

namespace planecast
{

enum class Ending : uint8_t { OTHER, CALL, RETURN, LINKAGE };

/* Past the prefixes (legacy and REX) of an instruction. */
inline size_t opcode_at(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size &&
           (bytes[at] == 0xf2 || bytes[at] == 0xf3 || bytes[at] == 0x66 || bytes[at] == 0x67 ||
            bytes[at] == 0x2e || bytes[at] == 0x36 || bytes[at] == 0x3e || bytes[at] == 0x26 ||
            bytes[at] == 0x64 || bytes[at] == 0x65 || (bytes[at] & 0xf0) == 0x40))
        at++;
    return at;
}

inline Ending ending_of(const uint8_t *bytes, size_t size)
{
    const size_t at = opcode_at(bytes, size);
    if (at >= size)
        return Ending::OTHER;
    const uint8_t code = bytes[at];
    if (code == 0xe8)
        return Ending::CALL;
    if (code == 0xc3 || code == 0xc2)
        return Ending::RETURN;
    if (code != 0xff || at + 1 >= size)
        return Ending::OTHER;
    const unsigned what = (bytes[at + 1] >> 3) & 7;
    if (what == 2)
        return Ending::CALL;
    return bytes[at + 1] == 0x25 ? Ending::LINKAGE : Ending::OTHER; /* jmp *offset(%rip) */
}

inline bool is_prefetch(const uint8_t *bytes, size_t size)
{
    const size_t at = opcode_at(bytes, size);
    if (at + 2 >= size || bytes[at] != 0x0f || bytes[at + 2] >= 0xc0) /* of a register: a nop */
        return false;
    const unsigned what = (bytes[at + 2] >> 3) & 7;
    return (bytes[at + 1] == 0x18 && what < 4) || (bytes[at + 1] == 0x0d && what < 3);
}

} // namespace planecast

#endif
