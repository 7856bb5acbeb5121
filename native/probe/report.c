#include "report.h"

#include "../dpdk/json.h"
#include "canary.h"

static void write_topology(FILE *out, const struct topology *t)
{
    fprintf(out, "\"cpu_model\": ");
    json_put_string(out, t->model);
    fprintf(out, ",\n\"caches\": [");
    for (size_t i = 0; i < t->caches; i++) {
        const struct cache *c = &t->cache[i];
        fprintf(out, "%s\n {\"level\": %u, \"type\": ", i == 0 ? "" : ",", c->level);
        json_put_string(out, c->type);
        fprintf(out,
                ", \"bytes\": %llu, \"ways\": %u, \"shared_cpus\": ", (unsigned long long)c->bytes,
                c->ways);
        json_put_string(out, c->shared_cpus);
        fputc('}', out);
    }
    fprintf(out, "],\n");
}

static void write_numbers(FILE *out, const char *name, const float *first, size_t stride,
                          size_t count)
{
    fprintf(out, "\"%s\": [", name);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%.6g", i == 0 ? "" : ",", (double)first[i * stride]);
    fputc(']', out);
}

static void write_point(FILE *out, const struct point *p)
{
    fprintf(out,
            " {\"kind\": \"%s\", \"page\": \"%s\", \"bytes\": %llu, \"lines\": %llu, "
            "\"width\": %u, \"units\": %llu, ",
            p->kind, page_names[p->page], (unsigned long long)p->bytes,
            (unsigned long long)p->lines, p->width, (unsigned long long)p->units);
    size_t stride = sizeof(*p->slices) / sizeof(float); /* a slice is floats only */
    write_numbers(out, "cycles", &p->slices[0].cycles, stride, p->count);
    fputs(", ", out);
    write_numbers(out, "canary_before", &p->slices[0].canary_before, stride, p->count);
    fputs(", ", out);
    write_numbers(out, "canary_after", &p->slices[0].canary_after, stride, p->count);
    fputc('}', out);
}

static void write_pair(FILE *out, const struct sibling_test *s)
{
    fprintf(out, " {\"cpu\": %d, \"other\": %d, \"listed\": %s, ", s->cpu, s->other,
            s->listed ? "true" : "false");
    write_numbers(out, "alone", s->alone, 1, s->count);
    fputs(", ", out);
    write_numbers(out, "both", s->both, 1, s->count);
    fputc('}', out);
}

static void write_transfer(FILE *out, const struct transfer_test *t)
{
    fprintf(out, " {\"cpu\": %d, \"other\": %d, ", t->cpu, t->other);
    write_numbers(out, "alone", t->alone, 1, t->count);
    fputs(", ", out);
    write_numbers(out, "read", t->read, 1, t->count);
    fputs(", ", out);
    write_numbers(out, "write", t->write, 1, t->count);
    fputc('}', out);
}

bool report_write(FILE *out, const struct report *r)
{
    fprintf(out, "{\"probe\": 1, \"complete\": %s, \"cpu\": %d, \"tsc_hz\": %.0f,\n",
            r->complete ? "true" : "false", r->cpu, r->tsc_hz);
    fprintf(out,
            "\"seconds\": %.2f, \"rounds\": %u, \"turn\": %d, \"canary_rounds\": %d, "
            "\"huge_share\": %.4f,\n",
            r->seconds, r->points->rounds, POINTS_SLICES_A_TURN, CANARY_ROUNDS, r->huge_share);
    write_topology(out, r->topology);
    fprintf(out, "\"siblings\": [\n");
    for (size_t i = 0; i < r->pairs; i++) {
        if (i > 0)
            fputs(",\n", out);
        write_pair(out, &r->pair[i]);
    }
    fprintf(out, "],\n\"transfers\": [\n");
    for (size_t i = 0; i < r->transfers; i++) {
        if (i > 0)
            fputs(",\n", out);
        write_transfer(out, &r->transfer[i]);
    }
    fprintf(out, "],\n\"points\": [\n");
    const char *separator = "";
    for (size_t i = 0; i < r->points->count; i++) {
        if (r->points->point[i].count == 0)
            continue; /* an interrupted run */
        fputs(separator, out);
        write_point(out, &r->points->point[i]);
        separator = ",\n";
    }
    fprintf(out, "]}\n");
    return fflush(out) == 0 && !ferror(out);
}
