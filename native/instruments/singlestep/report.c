#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "../../dpdk/json.h"
#include "symbols.h"

/*
 * A compiler's clone keeps the name of its source: stage_acl.constprop.0 is stage_acl. Parts that
 * are jumped to (.cold, .part) are no entries. False for those.
 */
static bool source_name(const char *symbol, char *name, size_t size)
{
    if (strstr(symbol, ".cold") != NULL || strstr(symbol, ".part") != NULL)
        return false;
    size_t length = strcspn(symbol, ".");
    snprintf(name, size, "%.*s", (int)length, symbol);
    return length < size;
}

/* The address of a file offset in the process; 0 if that part is not mapped to execute. */
static uint64_t address_of(const struct maps *maps, const char *path, uint64_t offset)
{
    for (size_t i = 0; i < maps->count; i++) {
        const struct mapping *m = &maps->mapping[i];
        if (strcmp(m->path, path) == 0 && offset >= m->offset &&
            offset - m->offset < m->end - m->start)
            return m->start + (offset - m->offset);
    }
    return 0;
}

int report_find_stages(struct stepper *s, const struct maps *maps, const char *prefix)
{
    struct elf elf;
    char name[sizeof(s->stage[0].name)];
    int found = 0;
    if (!symbols_open(&elf, maps->program))
        return 0;
    for (size_t i = 0; i < elf.count && found >= 0; i++) {
        if (strncmp(elf.symbol[i].name, prefix, strlen(prefix)) != 0 ||
            !source_name(elf.symbol[i].name, name, sizeof(name)))
            continue;
        uint64_t address = address_of(maps, maps->program, elf.symbol[i].offset);
        if (address != 0)
            found = stepper_add_stage(s, name, address) ? found + 1 : -1;
    }
    symbols_close(&elf);
    return found;
}

struct function {
    const char *object; /* a mapping's path */
    const struct symbol *symbol;
    uint64_t instructions;
};

/* An object that code was run from, opened once. */
struct object {
    const char *path;
    struct elf elf;
};

static struct object *object_at(struct object *objects, size_t *count, const char *path)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(objects[i].path, path) == 0)
            return &objects[i];
    struct object *o = &objects[(*count)++];
    o->path = path;
    symbols_open(&o->elf, path); /* what is no file, as [vdso], has no symbols */
    return o;
}

static int by_function(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return (x->symbol > y->symbol) - (x->symbol < y->symbol);
}

static int by_count(const void *a, const void *b)
{
    const struct function *x = a, *y = b;
    return (x->instructions < y->instructions) - (x->instructions > y->instructions);
}

/* Adds up neighbours of the same function in a sorted array; how many remain. */
static size_t join(struct function *f, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && by_function(&f[kept - 1], &f[i]) == 0)
            f[kept - 1].instructions += f[i].instructions;
        else
            f[kept++] = f[i];
    return kept;
}

static void write_function(FILE *out, const struct function *f)
{
    const char *slash = strrchr(f->object, '/');
    fputs("{\"name\": ", out);
    json_put_string(out, f->symbol != NULL ? f->symbol->name : "?");
    fputs(", \"object\": ", out);
    json_put_string(out, slash != NULL ? slash + 1 : f->object);
    fprintf(out, ", \"instructions\": %llu}", (unsigned long long)f->instructions);
}

static bool write_functions(FILE *out, const struct stepper *s, const struct maps *maps)
{
    struct object *objects = calloc(maps->count + 2, sizeof(*objects));
    struct function *functions = calloc(s->places + 1, sizeof(*functions));
    size_t object_count = 0, count = 0;
    bool good = objects != NULL && functions != NULL;
    for (size_t i = 0; good && i < s->capacity; i++) {
        const struct place *p = &s->place[i];
        if (p->address == 0 || p->instructions == 0)
            continue;
        const struct mapping *m = maps_find(maps, p->address);
        const struct object *o = object_at(objects, &object_count, m != NULL ? m->path : "?");
        functions[count++] = (struct function){
            .object = o->path,
            .symbol = m == NULL ? NULL : symbols_find(&o->elf, p->address - m->start + m->offset),
            .instructions = p->instructions};
    }
    if (good && count > 0) {
        qsort(functions, count, sizeof(*functions), by_function);
        count = join(functions, count);
        qsort(functions, count, sizeof(*functions), by_count);
    }
    for (size_t i = 0; i < count; i++) {
        fputs(i == 0 ? "\n  " : ",\n  ", out);
        write_function(out, &functions[i]);
    }
    for (size_t i = 0; i < object_count; i++)
        symbols_close(&objects[i].elf);
    free(objects);
    free(functions);
    return good;
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Lines of 64 bytes that instructions were run from; 0 if there was no memory to count them. */
static size_t code_lines(const struct stepper *s)
{
    uint64_t *line = calloc(s->places + 1, sizeof(*line));
    size_t count = 0, found = 0;
    for (size_t i = 0; line != NULL && i < s->capacity; i++)
        if (s->place[i].address != 0)
            line[count++] = s->place[i].address / 64;
    if (count > 0)
        qsort(line, count, sizeof(*line), by_number);
    for (size_t i = 0; i < count; i++)
        found += i == 0 || line[i] != line[i - 1];
    free(line);
    return found;
}

static void write_tally(FILE *out, const struct tally *t)
{
    fprintf(out,
            "\"instructions\": %llu, \"mispredictions\": %llu, \"jumps\": %llu, "
            "\"windows_16\": %llu, \"windows_32\": %llu",
            (unsigned long long)t->instructions, (unsigned long long)t->mispredictions,
            (unsigned long long)t->jumps, (unsigned long long)t->windows_16,
            (unsigned long long)t->windows_32);
}

bool report_write(FILE *out, const struct stepper *s, const struct maps *maps, double seconds)
{
    const char *separator = "";
    double rate = seconds > 0 ? (double)s->total.instructions / seconds : 0;
    fputs("{\"total\": {", out);
    write_tally(out, &s->total);
    fprintf(out, "},\n \"code_lines\": %zu, \"steps_per_second\": %.0f,\n \"stages\": {",
            code_lines(s), rate);
    for (size_t i = 0; i < s->stages; i++) {
        if (s->stage[i].calls == 0)
            continue;
        fprintf(out, "%s\n  ", separator);
        json_put_string(out, s->stage[i].name);
        fputs(": {", out);
        write_tally(out, &s->stage[i].tally);
        fprintf(out, ", \"calls\": %llu}", (unsigned long long)s->stage[i].calls);
        separator = ",";
    }
    fputs("},\n \"functions\": [", out);
    bool good = write_functions(out, s, maps);
    fputs("]}\n", out);
    return fflush(out) == 0 && !ferror(out) && good;
}
