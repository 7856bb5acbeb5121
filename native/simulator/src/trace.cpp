#include "trace.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

namespace planecast::sim
{

namespace
{

std::string quoted(const std::string &text)
{
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + '"';
}

// Microseconds with all of a picosecond's digits.
std::string microseconds(Ps time)
{
    char text[40];
    std::snprintf(text, sizeof text, "%" PRId64 ".%06" PRId64, time / 1000000, time % 1000000);
    return text;
}

} // namespace

std::string trace_json(std::vector<TraceEvent> events, const std::vector<TraceNames> &names,
                       std::uint64_t limit, std::uint64_t &left_out)
{
    std::stable_sort(events.begin(), events.end(),
                     [](auto &a, auto &b) { return a.start < b.start; });
    if (events.size() > limit) {
        left_out += events.size() - limit;
        events.resize(limit);
    }
    std::string json = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"
                       "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"tid\":0,"
                       "\"args\":{\"name\":\"planecast simulator\"}}";
    for (std::size_t core = 0; core < names.size(); ++core) {
        json += ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":" +
                std::to_string(core + 1) + ",\"args\":{\"name\":" + quoted(names[core].core) + "}}";
    }
    for (const TraceEvent &event : events) {
        const TraceNames &core = names[event.core];
        const std::string &task = core.tasks[event.task];
        std::string tail = ",\"pid\":1,\"tid\":" + std::to_string(event.core + 1) +
                           ",\"ts\":" + microseconds(event.start);
        if (event.duration < 0) {
            json += ",\n{\"name\":" + quoted(core.core + " " + task + " waiting") +
                    ",\"ph\":\"C\"" + tail +
                    ",\"args\":{\"packets\":" + std::to_string(event.count) + "}}";
        } else {
            json += ",\n{\"name\":" + quoted(task) + ",\"ph\":\"X\"" + tail +
                    ",\"dur\":" + microseconds(event.duration) +
                    ",\"args\":{\"packets\":" + std::to_string(event.count) + "}}";
        }
    }
    return json + "\n]}\n";
}

} // namespace planecast::sim
