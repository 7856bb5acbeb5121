"""The GNU build ID of a program: which build of its source it is."""

from __future__ import annotations

import struct
from pathlib import Path

_PT_NOTE, _NT_GNU_BUILD_ID = 4, 3


def build_id(path: Path) -> str | None:
    """The build ID of an ELF file, in hexadecimal digits; None when it has none.

    Format: System V ABI, "Program Header" and "Note Section". Raises OSError.
    """
    data = path.read_bytes()
    if data[:6] != b"\x7fELF\x02\x01":  # 64 bits, little-endian
        return None
    try:
        (table,) = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        for number in range(count):
            kind, _, offset, _, _, length = struct.unpack_from(
                "<IIQQQQ", data, table + number * size
            )
            found = _in_notes(data[offset : offset + length]) if kind == _PT_NOTE else None
            if found is not None:
                return found
    except struct.error:
        return None
    return None


def _in_notes(notes: bytes) -> str | None:
    at = 0
    while at + 12 <= len(notes):
        name_size, size, kind = struct.unpack_from("<III", notes, at)
        name = at + 12
        value = name + -(-name_size // 4) * 4
        if kind == _NT_GNU_BUILD_ID and notes[name : name + name_size] == b"GNU\0":
            return notes[value : value + size].hex()
        at = value + -(-size // 4) * 4
    return None
