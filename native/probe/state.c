#include "state.h"

#include <string.h>

#include "clock.h"
#include "load.h"
#include "memory.h"
#include "survival.h"
#include "topology.h"
#include "walks.h"

#define SURVIVAL_MOST ((uint64_t)64 << 20)
#define SURVIVAL_S    1.5

/* Of the cache of a level, or of the highest up to it. */
static uint64_t cache_bytes(int cpu, unsigned level)
{
    struct topology topology;
    uint64_t bytes = 1u << 20;
    unsigned highest = 1;
    topology_read(cpu, &topology);
    for (size_t i = 0; i < topology.caches; i++)
        if (topology.cache[i].level > highest && topology.cache[i].level <= level) {
            highest = topology.cache[i].level;
            bytes = topology.cache[i].bytes;
        }
    return bytes;
}

static void write_list(FILE *out, const char *name, const float *value, size_t count)
{
    fprintf(out, "\"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%.6g", i > 0 ? "," : "", (double)value[i]);
    fputc(']', out);
}

static void write_survival(FILE *out, const char *name, const struct survival_point *point,
                           size_t count)
{
    fprintf(out, "\"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out,
                "%s\n {\"bytes\": %llu, \"pace\": %.3f, \"lap_cycles\": %.0f, \"share\": %.5f, "
                "\"cycles\": %.2f, \"timed\": %llu}",
                i > 0 ? "," : "", (unsigned long long)point[i].bytes, point[i].pace,
                point[i].lap_cycles, point[i].share, point[i].cycles,
                (unsigned long long)point[i].timed);
    fputs("],\n", out);
}

static void write_conflicts(FILE *out, const struct survival_conflict *found, size_t count)
{
    fputs("\"conflicts\": [", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s{\"same\": %.2f, \"spread\": %.2f}", i > 0 ? "," : "", found[i].same,
                found[i].spread);
    fputs("],\n", out);
}

static void write_load(FILE *out, const struct load *load)
{
    fprintf(out, "\"other\": %d, \"other_stream\": %.6g, ", load->other, load->other_stream);
    write_list(out, "stream", load->stream, LOAD_SLICES);
    fputs(",\n\"memory\": [", out);
    for (size_t i = 0; i < load->points; i++) {
        const struct load_point *point = &load->point[i];
        fprintf(out, "%s\n {\"width\": %u, \"loaded\": %s, ", i > 0 ? "," : "", point->width,
                point->loaded ? "true" : "false");
        write_list(out, "cycles", point->cycles, LOAD_SLICES);
        fputc('}', out);
    }
    fputs("],\n", out);
}

static void write_walks(FILE *out, const struct walks_point *point, size_t count)
{
    static const char *const names[WALKS_KINDS] = {"in_order", "scattered", "huge"};
    fputs("\"walks\": [", out);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\n {\"kind\": \"%s\", \"pages\": %u, \"width\": %u, ", i > 0 ? "," : "",
                names[point[i].kind], point[i].pages, point[i].width);
        write_list(out, "cycles", point[i].cycles, WALKS_SLICES);
        fputc('}', out);
    }
    fputs("]}\n", out);
}

bool state_write(FILE *out, int cpu, int other, uint64_t max, const volatile int *stop)
{
    static struct survival_point survived[SURVIVAL_POINTS], streamed[SURVIVAL_POINTS];
    static struct walks_point walks[WALKS_POINTS];
    struct survival_conflict conflict[SURVIVAL_CONFLICTS];
    struct load load = {0};
    struct load_other neighbour;
    struct memory memory = memory_map(max, PAGE_2MIB);
    struct clock_pair start = clock_both();
    struct survival_border border = survival_border(memory.base, cache_bytes(cpu, 2));
    uint64_t most = max < SURVIVAL_MOST ? max : SURVIVAL_MOST;
    uint64_t allowed = (uint64_t)(SURVIVAL_S * clock_about_tsc_hz());
    size_t survivals =
        survival_measure(memory.base, most, &border, start.cycles + allowed, survived, stop);
    size_t next_to_stream = 0;
    double stream = 0;
    if (load_other_begin(&neighbour, other)) {
        next_to_stream = survival_measure(memory.base, most, &border, clock_cycles() + allowed / 2,
                                          streamed, stop);
        stream = load_other_end(&neighbour);
    }
    size_t conflicts =
        survival_conflicts(memory.base, max, cache_bytes(cpu, 4), &border, conflict, stop);
    load_measure(memory.base, max, other, &load, stop);
    size_t walked = walks_measure(memory.base, max, walks, stop);
    struct clock_pair end = clock_both();
    fprintf(out,
            "{\"state\": 1, \"complete\": %s, \"cpu\": %d, \"tsc_hz\": %.0f, \"began_tsc\": %llu, "
            "\"ended_tsc\": %llu,\n\"hit_cycles\": %.2f, \"miss_cycles\": %.2f, \"huge_share\": "
            "%.4f,\n",
            *stop ? "false" : "true", cpu, clock_tsc_hz(start, end),
            (unsigned long long)start.cycles, (unsigned long long)end.cycles, border.hit,
            border.miss, memory.huge_share);
    write_survival(out, "survival", survived, survivals);
    write_survival(out, "streamed_survival", streamed, next_to_stream);
    fprintf(out, "\"streamed\": %.6g,\n", stream);
    write_conflicts(out, conflict, conflicts);
    write_load(out, &load);
    write_walks(out, walks, walked);
    return fflush(out) == 0 && !ferror(out);
}
