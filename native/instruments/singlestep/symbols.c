#include "symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool map_file(struct elf *elf, const char *path)
{
    struct stat info;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    if (fstat(fd, &info) == 0 && info.st_size > (off_t)sizeof(Elf64_Ehdr)) {
        elf->length = (size_t)info.st_size;
        void *bytes = mmap(NULL, elf->length, PROT_READ, MAP_PRIVATE, fd, 0);
        elf->bytes = bytes == MAP_FAILED ? NULL : bytes;
    }
    close(fd);
    return elf->bytes != NULL;
}

/* Whether so many records of a size lie inside the file: a broken file must not end us. */
static bool inside(const struct elf *elf, uint64_t offset, uint64_t count, uint64_t size)
{
    return offset <= elf->length && count <= (elf->length - offset) / size;
}

/* Where in the file a virtual address of it stands; false if in no loaded segment. */
static bool to_offset(const struct elf *elf, uint64_t address, uint64_t *offset)
{
    const Elf64_Ehdr *header = (const void *)elf->bytes;
    const Elf64_Phdr *segment = (const void *)(elf->bytes + header->e_phoff);
    for (unsigned i = 0; i < header->e_phnum; i++)
        if (segment[i].p_type == PT_LOAD && address >= segment[i].p_vaddr &&
            address - segment[i].p_vaddr < segment[i].p_filesz) {
            *offset = address - segment[i].p_vaddr + segment[i].p_offset;
            return true;
        }
    return false;
}

static int by_offset(const void *a, const void *b)
{
    const struct symbol *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    /* Of several names for one place the shortest is the plain one. */
    size_t p = strlen(x->name), q = strlen(y->name);
    return p != q ? (p < q ? -1 : 1) : strcmp(x->name, y->name);
}

static void read_symbols(struct elf *elf, const Elf64_Shdr *table, const Elf64_Shdr *names)
{
    uint64_t count = table->sh_size / sizeof(Elf64_Sym);
    if (!inside(elf, table->sh_offset, count, sizeof(Elf64_Sym)) ||
        !inside(elf, names->sh_offset, names->sh_size, 1))
        return;
    const Elf64_Sym *symbol = (const void *)(elf->bytes + table->sh_offset);
    elf->symbol = calloc(count + 1, sizeof(*elf->symbol));
    for (uint64_t i = 0; elf->symbol != NULL && i < count; i++) {
        struct symbol *s = &elf->symbol[elf->count];
        unsigned type = ELF64_ST_TYPE(symbol[i].st_info);
        if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol[i].st_shndx == SHN_UNDEF ||
            symbol[i].st_name >= names->sh_size)
            continue;
        if (!to_offset(elf, symbol[i].st_value, &s->offset))
            continue;
        s->size = symbol[i].st_size;
        s->name = elf->bytes + names->sh_offset + symbol[i].st_name;
        elf->count++;
    }
    if (elf->count > 0)
        qsort(elf->symbol, elf->count, sizeof(*elf->symbol), by_offset);
}

static void read_sections(struct elf *elf, uint32_t wanted)
{
    const Elf64_Ehdr *header = (const void *)elf->bytes;
    const Elf64_Shdr *section = (const void *)(elf->bytes + header->e_shoff);
    if (!inside(elf, header->e_shoff, header->e_shnum, sizeof(*section)))
        return;
    for (unsigned i = 0; i < header->e_shnum && elf->count == 0; i++)
        if (section[i].sh_type == wanted && section[i].sh_link < header->e_shnum)
            read_symbols(elf, &section[i], &section[section[i].sh_link]);
}

bool symbols_open(struct elf *elf, const char *path)
{
    memset(elf, 0, sizeof(*elf));
    if (!map_file(elf, path))
        return false;
    const Elf64_Ehdr *header = (const void *)elf->bytes;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
        !inside(elf, header->e_phoff, header->e_phnum, sizeof(Elf64_Phdr))) {
        symbols_close(elf);
        return false;
    }
    read_sections(elf, SHT_SYMTAB);
    if (elf->count == 0)
        read_sections(elf, SHT_DYNSYM);
    return true;
}

void symbols_close(struct elf *elf)
{
    free(elf->symbol);
    if (elf->bytes != NULL)
        munmap((void *)(uintptr_t)elf->bytes, elf->length);
    memset(elf, 0, sizeof(*elf));
}

const struct symbol *symbols_find(const struct elf *elf, uint64_t offset)
{
    size_t low = 0, high = elf->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (elf->symbol[middle].offset <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return NULL;
    /* Back to the first of several names of one place. */
    const struct symbol *s = &elf->symbol[low - 1];
    while (s > elf->symbol && s[-1].offset == s->offset)
        s--;
    return s->size == 0 || offset - s->offset < s->size ? s : NULL;
}
