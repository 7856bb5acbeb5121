/* Function symbols of an ELF file (64-bit, little-endian), and where its bytes are mapped. */
#ifndef PLANECAST_SINGLESTEP_SYMBOLS_H
#define PLANECAST_SINGLESTEP_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
    uint64_t offset; /* of the function's first byte in the file */
    uint64_t size;   /* 0: unknown, up to the next symbol */
    const char *name;
};

struct elf {
    size_t count;
    struct symbol *symbol; /* by rising offset */
    const char *bytes;     /* the mapped file, which the names point into */
    size_t length;
};

/*
 * Reads the functions of .symtab, or of .dynsym when the file is stripped. False if it is no such
 * ELF file or can't be read; the count is 0 if it has no symbols at all.
 */
bool symbols_open(struct elf *elf, const char *path);
void symbols_close(struct elf *elf);

/* The function that the byte at this file offset belongs to; NULL if none is known. */
const struct symbol *symbols_find(const struct elf *elf, uint64_t offset);

#endif
