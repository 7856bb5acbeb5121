/* SPDX-License-Identifier: Apache-2.0 */
#include "symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    const ElfW(Sym) * first;
    size_t count;
    const char *names;
    size_t names_bytes;
    uintptr_t moved; /* from where it was linked for to where it is */
} table;
static pthread_once_t read_once = PTHREAD_ONCE_INIT;

/* The first object of all is the program. */
static int of_program(struct dl_phdr_info *object, size_t size, void *moved)
{
    (void)size;
    *(uintptr_t *)moved = object->dlpi_addr;
    return 1;
}

static bool within(const struct stat *file, const ElfW(Shdr) * section)
{
    return section->sh_offset <= (size_t)file->st_size &&
           section->sh_size <= (size_t)file->st_size - section->sh_offset;
}

static void take(const char *image, const struct stat *file)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)image;
    if ((size_t)file->st_size < sizeof *header || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(ElfW(Shdr)) ||
        header->e_shoff > (size_t)file->st_size ||
        header->e_shnum > ((size_t)file->st_size - header->e_shoff) / sizeof(ElfW(Shdr)))
        return;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(image + header->e_shoff);
    bool whole = false; /* the table of all symbols; else that of the exported ones */
    for (int i = 0; i < header->e_shnum && !whole; i++) {
        const ElfW(Shdr) *section = &sections[i];
        if ((section->sh_type != SHT_SYMTAB && section->sh_type != SHT_DYNSYM) ||
            section->sh_link >= header->e_shnum)
            continue;
        const ElfW(Shdr) *names = &sections[section->sh_link];
        /* The last byte of names ends the last of them. */
        if (!within(file, section) || !within(file, names) || names->sh_size == 0 ||
            image[names->sh_offset + names->sh_size - 1] != '\0')
            continue;
        table.first = (const ElfW(Sym) *)(image + section->sh_offset);
        table.count = section->sh_size / sizeof(ElfW(Sym));
        table.names = image + names->sh_offset;
        table.names_bytes = names->sh_size;
        whole = section->sh_type == SHT_SYMTAB;
    }
}

/* It stays mapped. By the path that was executed, for instruments run under names of their own. */
static void read_table(void)
{
    const char *path = (const char *)getauxval(AT_EXECFN);
    struct stat file;
    int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    if (fstat(fd, &file) == 0 && file.st_size > 0) {
        void *image = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (image != MAP_FAILED) {
            dl_iterate_phdr(of_program, &table.moved);
            take(image, &file);
            if (table.first == NULL)
                munmap(image, (size_t)file.st_size);
        }
    }
    close(fd);
}

static bool defined(const ElfW(Sym) * symbol)
{
    int type = ELF64_ST_TYPE(symbol->st_info);
    return symbol->st_shndx != SHN_UNDEF && symbol->st_name < table.names_bytes &&
           (type == STT_FUNC || type == STT_OBJECT);
}

bool symbols_begin(const void *start, size_t bytes)
{
    for (size_t i = 0; i < table.count; i++) {
        uintptr_t begins = table.moved + table.first[i].st_value;
        if (defined(&table.first[i]) && begins > (uintptr_t)start &&
            begins - (uintptr_t)start < bytes)
            return true;
    }
    return false;
}

void *symbols_address(const char *name, size_t *bytes)
{
    pthread_once(&read_once, read_table);
    for (size_t i = 0; i < table.count; i++) {
        const ElfW(Sym) *symbol = &table.first[i];
        if (defined(symbol) && strcmp(table.names + symbol->st_name, name) == 0) {
            if (bytes != NULL)
                *bytes = symbol->st_size;
            return (void *)(table.moved + symbol->st_value);
        }
    }
    return NULL;
}

const char *symbols_name(const void *address)
{
    pthread_once(&read_once, read_table);
    for (size_t i = 0; i < table.count; i++) {
        const ElfW(Sym) *symbol = &table.first[i];
        uintptr_t start = table.moved + symbol->st_value;
        if (defined(symbol) && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
            (uintptr_t)address >= start && (uintptr_t)address - start < symbol->st_size)
            return table.names + symbol->st_name;
    }
    return NULL;
}
