"""ELF files of 64 bits: the build ID, and which function an address belongs to.

Formats: System V ABI, chapters 4 and 5 ("Object Files", "Program Loading").
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from functools import cached_property
from pathlib import Path

_PT_LOAD, _PT_NOTE = 1, 4
_SHT_SYMTAB, _SHT_DYNSYM = 2, 11
_FUNCTIONS = (2, 10)  # STT_FUNC, STT_GNU_IFUNC
_NT_GNU_BUILD_ID = 3


class Elf:
    """One file; of what is no such file nothing is known."""

    def __init__(self, path: Path) -> None:
        """Raises OSError."""
        data = path.read_bytes()
        self._data = data if data[:6] == b"\x7fELF\x02\x01" else b""  # 64 bits, little-endian

    @cached_property
    def build_id(self) -> str | None:
        """In hexadecimal digits; None when it has none."""
        for kind, offset, _, length in self._segments:
            found = _in_notes(self._data[offset : offset + length]) if kind == _PT_NOTE else None
            if found is not None:
                return found
        return None

    @cached_property
    def stripped(self) -> bool:
        """Whether it has no symbols but those that others link to."""
        return bool(self._data) and not self._symbols(_SHT_SYMTAB)

    def address_of(self, offset: int) -> int | None:
        """Where a place in the file is loaded, from the file's own base; None: it isn't."""
        for kind, start, address, length in self._segments:
            if kind == _PT_LOAD and start <= offset < start + length:
                return address + offset - start
        return None

    def function_at(self, address: int) -> str:
        """The function that holds an address; ``0x`` and the address where no symbol does."""
        starts, functions = self._functions
        at = bisect_right(starts, address) - 1
        if at >= 0:
            start, size, name = functions[at]
            if address == start or address < start + size:
                return name
        return hex(address)

    @cached_property
    def _segments(self) -> list[tuple[int, int, int, int]]:
        """Kind, place and length in the file, and address."""
        if not self._data:
            return []
        (table,) = struct.unpack_from("<Q", self._data, 32)
        size, count = struct.unpack_from("<HH", self._data, 54)
        found = []
        for number in range(count):
            kind, _, offset, address, _, length = struct.unpack_from(
                "<IIQQQQ", self._data, table + number * size
            )
            found.append((kind, offset, address, length))
        return found

    @cached_property
    def _functions(self) -> tuple[list[int], list[tuple[int, int, str]]]:
        """Starts, and (start, size, name), by address; of several names the shortest."""
        by_start: dict[int, tuple[int, int, str]] = {}
        for start, size, name in self._symbols(_SHT_SYMTAB) or self._symbols(_SHT_DYNSYM):
            known = by_start.get(start)
            if known is None or (len(name), name) < (len(known[2]), known[2]):
                by_start[start] = (start, size, name)
        functions = sorted(by_start.values())
        return [start for start, _, _ in functions], functions

    def _symbols(self, wanted: int) -> list[tuple[int, int, str]]:
        if not self._data:
            return []
        (table,) = struct.unpack_from("<Q", self._data, 40)
        size, count = struct.unpack_from("<HH", self._data, 58)
        sections = [
            struct.unpack_from("<IIQQQQII", self._data, table + number * size)
            for number in range(count)
        ]
        found = []
        for _, kind, _, _, offset, length, link, _ in sections:
            if kind != wanted:
                continue
            names = sections[link][4]
            for name, info, _, section, start, bytes_ in struct.iter_unpack(
                "<IBBHQQ", self._data[offset : offset + length // 24 * 24]
            ):
                if info & 15 in _FUNCTIONS and section != 0:
                    end = self._data.index(b"\0", names + name)
                    found.append((start, bytes_, self._data[names + name : end].decode()))
        return found


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
