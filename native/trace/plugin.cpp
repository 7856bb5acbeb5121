/* SPDX-License-Identifier: Apache-2.0
 *
 * planecast-trace.so: a plug-in of QEMU's user-mode emulation that traces one thread's references
 * to memory and keeps re-use distances by calling context, of lines and of pages.
 *
 *   qemu-x86_64 -plugin planecast-trace.so,out=FILE PROGRAM …
 *
 * The program says by prctl(0x706c616e, …) what to trace: 1 begins, with the thread that asks, but
 * counts nothing yet; 2 counts from here; 3 ends and writes FILE. Until the first nothing is
 * instrumented. References made by planecast-meter.so (and -vpp.so) itself are left out: they are
 * the wire's.
 */
#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <unordered_set>
#include <vector>

#include "branch_predictor.hpp"
#include "call_tree.hpp"
#include "qemu_plugin.h"
#include "stack_distance.hpp"

extern "C" {
#include "symbols.h"
}

using namespace planecast;

namespace
{

constexpr int64_t SYS_PRCTL = 157;
constexpr uint64_t REQUEST = 0x706c616e;
enum Request { BEGIN = 1, COUNT = 2, END = 3 };
constexpr unsigned LINE_SHIFT = 6, PAGE_SHIFT = 12;
constexpr unsigned VECTOR_BYTES = 64;
constexpr const char *HOOK = "planecast-meter";

struct Range {
    uint64_t start, end;
    int32_t file;
};

struct {
    std::string out;
    bool tracing, counting;
    unsigned vcpu;
    CallTree tree;
    StackDistance distances, pages;
    BranchPredictor predictor;
    std::vector<Range> hook, files;
    std::vector<std::string> paths;         /* of files */
    std::unordered_set<uint64_t> functions; /* where they begin */
    std::mutex mutex;                       /* translation happens in any thread */
    std::deque<Block> blocks;
    /* The reference before, of which a wide vector's further parts are parts. */
    const void *last_instruction;
    uint64_t last_end, last_bytes;
    bool last_store;
    uint64_t references;
} trace;

bool begins_function(uint64_t address)
{
    return trace.functions.contains(address);
}

int32_t file_of(uint64_t address)
{
    for (const Range &range : trace.files)
        if (address >= range.start && address < range.end)
            return range.file;
    return -1;
}

bool of_the_hook(uint64_t address)
{
    for (const Range &range : trace.hook)
        if (address >= range.start && address < range.end)
            return true;
    return false;
}

/* Emulated addresses are ours: user-mode emulation of the same word size maps them as they are. */
template <typename Do> void each_mapping(Do found)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4352], path[4097], rights[5];
    uint64_t start, end, offset;
    while (maps != nullptr && fgets(line, sizeof line, maps) != nullptr)
        if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4096[^\n]", &start, &end,
                   rights, &offset, path) == 5)
            found(start, end, offset, path);
    if (maps != nullptr)
        fclose(maps);
}

/* A file that is mapped, and those of its functions that this part of it holds. */
void note_file(uint64_t start, uint64_t end, uint64_t offset, const char *path)
{
    struct elf elf;
    if (path[0] != '/')
        return;
    auto known = std::find(trace.paths.begin(), trace.paths.end(), path);
    if (known == trace.paths.end())
        known = trace.paths.insert(known, path);
    trace.files.push_back({start, end, static_cast<int32_t>(known - trace.paths.begin())});
    if (!symbols_open(&elf, path))
        return;
    for (size_t i = 0; i < elf.count; i++)
        if (elf.symbol[i].offset >= offset && elf.symbol[i].offset - offset < end - start)
            trace.functions.insert(start + elf.symbol[i].offset - offset);
    symbols_close(&elf);
}

void count(Touches &touches, uint64_t distance)
{
    if (!trace.counting)
        return;
    if (distance == StackDistance::COLD)
        touches.cold++;
    else
        touches.bins[bin_of(distance)]++;
}

/* Touches the lines or pages from `first` to `last`, but for the one touched just `before`. */
void touch(StackDistance &distances, Touches &touches, uint64_t first, uint64_t last,
           uint64_t before)
{
    for (uint64_t place = first; place <= last; place++)
        if (place != before)
            count(touches, distances.touch(place));
}

/* `instruction` is where it is: a wide vector's parts come one after the other from the same one.
 */
void on_memory(unsigned vcpu, uint32_t info, uint64_t address, void *instruction)
{
    if (vcpu != trace.vcpu || !trace.tracing)
        return;
    Node *node = trace.tree.now();
    if (node == nullptr || node->excluded)
        return;
    const uint64_t bytes = 1ull << qemu_plugin_mem_size_shift(info);
    const bool store = qemu_plugin_mem_is_store(info);
    const bool part = instruction == trace.last_instruction && address == trace.last_end &&
                      store == trace.last_store && trace.last_bytes + bytes <= VECTOR_BYTES;
    const uint64_t end = address + bytes, before = part ? address - 1 : UINT64_MAX;
    trace.last_instruction = instruction;
    trace.last_end = end;
    trace.last_bytes = part ? trace.last_bytes + bytes : bytes;
    trace.last_store = store;
    Touches &touches = store ? node->stores : node->loads;
    touches.count += trace.counting && !part;
    node->pages.count += trace.counting && !part;
    trace.references++;
    touch(trace.distances, touches, address >> LINE_SHIFT, (end - 1) >> LINE_SHIFT,
          before >> LINE_SHIFT);
    touch(trace.pages, node->pages, address >> PAGE_SHIFT, (end - 1) >> PAGE_SHIFT,
          before >> PAGE_SHIFT);
}

/* Where a return leads to every core knows. */
void predict(const Block &block)
{
    const Block *last = trace.tree.last();
    if (last == nullptr)
        return;
    const bool right = trace.predictor.predicted(last->start, last->end, block.start);
    Node *node = trace.tree.now();
    if (!right && last->ending != Ending::RETURN && trace.counting && !node->excluded)
        node->mispredictions++;
}

void on_block(unsigned vcpu, void *opaque)
{
    if (vcpu != trace.vcpu || !trace.tracing)
        return;
    const Block &block = *static_cast<const Block *>(opaque);
    predict(block);
    trace.tree.enter(block, of_the_hook, begins_function);
    trace.last_instruction = nullptr;
    Node *node = trace.tree.now();
    if (trace.counting && node != nullptr && !node->excluded) {
        node->instructions += block.instructions;
        node->prefetches += block.prefetches;
    }
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb *tb)
{
    const std::lock_guard lock(trace.mutex);
    Block &block = trace.blocks.emplace_back();
    const size_t count = qemu_plugin_tb_n_insns(tb);
    block.start = qemu_plugin_tb_vaddr(tb);
    block.object = file_of(block.start);
    block.instructions = static_cast<uint32_t>(count);
    for (size_t i = 0; i < count; i++) {
        qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
        const auto *bytes = static_cast<const uint8_t *>(qemu_plugin_insn_data(insn));
        const size_t size = qemu_plugin_insn_size(insn);
        block.prefetches += is_prefetch(bytes, size);
        block.ending = ending_of(bytes, size);
        block.end = qemu_plugin_insn_vaddr(insn) + size;
        qemu_plugin_register_vcpu_mem_cb(
            insn, on_memory, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
            reinterpret_cast<void *>(static_cast<uintptr_t>(qemu_plugin_insn_vaddr(insn))));
    }
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_block, QEMU_PLUGIN_CB_NO_REGS, &block);
}

void write_touches(FILE *out, const char *name, const Touches &touches)
{
    const char *separator = "";
    fprintf(out, ", \"%s\": {\"count\": %" PRIu64 ", \"cold\": %" PRIu64 ", \"distances\": {", name,
            touches.count, touches.cold);
    for (size_t i = 0; i < BINS; i++)
        if (touches.bins[i] != 0) {
            fprintf(out, "%s\"%" PRIu64 "\": %" PRIu64, separator, bin_start(i), touches.bins[i]);
            separator = ", ";
        }
    fputs("}}", out);
}

bool write_trace(FILE *out)
{
    const char *separator = "";
    fprintf(out,
            "{\"lines\": %" PRIu64 ", \"pages\": %" PRIu64 ", \"references\": %" PRIu64
            ", \"mappings\": [",
            trace.distances.lines(), trace.pages.lines(), trace.references);
    each_mapping([&](uint64_t start, uint64_t end, uint64_t offset, const char *path) {
        if (path[0] != '/' || strpbrk(path, "\"\\") != nullptr)
            return;
        fprintf(out,
                "%s\n  {\"start\": %" PRIu64 ", \"end\": %" PRIu64 ", \"offset\": %" PRIu64
                ", \"path\": \"%s\"}",
                separator, start, end, offset, path);
        separator = ",";
    });
    fputs("],\n \"nodes\": [", out);
    separator = "";
    for (const Node &node : trace.tree.nodes()) {
        fprintf(out,
                "%s\n  {\"parent\": %d, \"entry\": %" PRIu64 ", \"instructions\": %" PRIu64
                ", \"prefetches\": %" PRIu64 ", \"mispredictions\": %" PRIu64,
                separator, node.parent == nullptr ? -1 : static_cast<int>(node.parent->number),
                node.entry, node.instructions, node.prefetches, node.mispredictions);
        write_touches(out, "loads", node.loads);
        write_touches(out, "stores", node.stores);
        write_touches(out, "pages", node.pages);
        fputs("}", out);
        separator = ",";
    }
    fputs("]}\n", out);
    return fflush(out) == 0 && ferror(out) == 0;
}

void on_system_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t request,
                    uint64_t what, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

void instrument(qemu_plugin_id_t id)
{
    qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
    trace.tracing = true;
}

void end()
{
    trace.tracing = false;
    FILE *out = fopen(trace.out.c_str(), "w");
    if (out == nullptr || !write_trace(out) || fclose(out) != 0)
        perror("planecast-trace");
}

void on_system_call(qemu_plugin_id_t id, unsigned vcpu, int64_t number, uint64_t request,
                    uint64_t what, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t)
{
    if (number != SYS_PRCTL || request != REQUEST)
        return;
    if (what == BEGIN) {
        each_mapping([](uint64_t start, uint64_t end, uint64_t, const char *path) {
            if (strstr(path, HOOK) != nullptr)
                trace.hook.push_back({start, end, 0});
        });
        each_mapping(note_file);
        trace.vcpu = vcpu;
        qemu_plugin_reset(id, instrument);
    } else if (what == COUNT)
        trace.counting = true;
    else if (what == END && trace.tracing)
        end();
}

} // namespace

extern "C" {
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t *, int argc,
                                           char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "out=", 4) == 0)
            trace.out = argv[i] + 4;
    if (trace.out.empty()) {
        fputs("planecast-trace: say out=FILE\n", stderr);
        return -1;
    }
    qemu_plugin_register_vcpu_syscall_cb(id, on_system_call);
    return 0;
}
