#define _GNU_SOURCE
#include "maps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool add_line(struct maps *maps, const char *line)
{
    unsigned long start, end, offset;
    char access[8];
    int path_at = 0;
    if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %n", &start, &end, access, &offset, &path_at) < 4 ||
        access[2] != 'x')
        return true;
    struct mapping *grown = realloc(maps->mapping, (maps->count + 1) * sizeof(*grown));
    if (grown == NULL)
        return false;
    maps->mapping = grown;
    struct mapping *m = &maps->mapping[maps->count++];
    *m = (struct mapping){.start = start, .end = end, .offset = offset};
    snprintf(m->path, sizeof(m->path), "%s", line + path_at);
    m->path[strcspn(m->path, "\n")] = '\0';
    return true;
}

bool maps_read(struct maps *maps, pid_t pid)
{
    char path[64], line[1024];
    memset(maps, 0, sizeof(*maps));
    snprintf(path, sizeof(path), "/proc/%d/exe", (int)pid);
    if (readlink(path, maps->program, sizeof(maps->program) - 1) < 0)
        return false;
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    bool good = true;
    while (good && fgets(line, sizeof(line), file) != NULL)
        good = add_line(maps, line);
    fclose(file);
    return good;
}

void maps_free(struct maps *maps)
{
    free(maps->mapping);
    memset(maps, 0, sizeof(*maps));
}

const struct mapping *maps_find(const struct maps *maps, uint64_t address)
{
    for (size_t i = 0; i < maps->count; i++)
        if (address >= maps->mapping[i].start && address < maps->mapping[i].end)
            return &maps->mapping[i];
    return NULL;
}
