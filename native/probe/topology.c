#include "topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* First line of a file without its end; an empty string if there is none. */
static void first_line(const char *path, char *text, size_t size)
{
    text[0] = '\0';
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    if (fgets(text, (int)size, file) != NULL)
        text[strcspn(text, "\n")] = '\0';
    fclose(file);
}

static void cache_attribute(int cpu, unsigned index, const char *name, char *text, size_t size)
{
    char path[160];
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cache/index%u/%s", cpu, index,
             name);
    first_line(path, text, size);
}

/* "32K", "1024K", "32M" in bytes. */
static uint64_t parse_size(const char *text)
{
    char *unit;
    uint64_t value = strtoull(text, &unit, 10);
    switch (*unit) {
    case 'K':
        return value << 10;
    case 'M':
        return value << 20;
    case 'G':
        return value << 30;
    default:
        return value;
    }
}

static void read_model(char *model, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return;
    while (fgets(line, sizeof(line), file) != NULL) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value != NULL) {
            line[strcspn(line, "\n")] = '\0';
            snprintf(model, size, "%.*s", (int)size - 1, value + 2);
            break;
        }
    }
    fclose(file);
}

void topology_read(int cpu, struct topology *t)
{
    memset(t, 0, sizeof(*t));
    read_model(t->model, sizeof(t->model));
    for (unsigned i = 0; i < TOPOLOGY_CACHES; i++) {
        char text[32];
        struct cache *c = &t->cache[t->caches];
        cache_attribute(cpu, i, "level", text, sizeof(text));
        if (text[0] == '\0')
            break;
        c->level = (unsigned)atoi(text);
        cache_attribute(cpu, i, "size", text, sizeof(text));
        c->bytes = parse_size(text);
        cache_attribute(cpu, i, "ways_of_associativity", text, sizeof(text));
        c->ways = (unsigned)atoi(text);
        cache_attribute(cpu, i, "type", c->type, sizeof(c->type));
        cache_attribute(cpu, i, "shared_cpu_list", c->shared_cpus, sizeof(c->shared_cpus));
        t->caches++;
    }
}

bool topology_listed_siblings(int cpu, int other)
{
    char path[96], list[256];
    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
             cpu);
    first_line(path, list, sizeof(list));
    for (char *range = strtok(list, ","); range != NULL; range = strtok(NULL, ",")) {
        int first = atoi(range);
        const char *dash = strchr(range, '-');
        int last = dash != NULL ? atoi(dash + 1) : first;
        if (other >= first && other <= last)
            return true;
    }
    return false;
}

uint64_t topology_available_bytes(void)
{
    char line[128];
    unsigned long long kib = 0;
    FILE *file = fopen("/proc/meminfo", "r");
    if (file == NULL)
        return 0;
    while (fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "MemAvailable: %llu kB", &kib) == 1)
            break;
    fclose(file);
    return (uint64_t)kib << 10;
}
