#include "layout.hpp"

#include "frame_times.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace planecast::sim
{

namespace
{

// Union-find over cores.
class Sets
{
  public:
    explicit Sets(std::size_t count) : parent_(count)
    {
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
    }
    std::size_t root(std::size_t i)
    {
        while (parent_[i] != i) {
            i = parent_[i] = parent_[parent_[i]];
        }
        return i;
    }
    void join(std::size_t a, std::size_t b)
    {
        parent_[std::max(root(a), root(b))] = std::min(root(a), root(b));
    }

  private:
    std::vector<std::size_t> parent_;
};

} // namespace

Layout::Layout(const Model &m) : model(m), nics(m.nics)
{
    for (const Port &p : model.ports) {
        if (p.nic.empty()) {
            nic_of_port.push_back(nics.size());
            nics.emplace_back();
            nics.back().name = p.name;
        } else {
            nic_of_port.push_back(number_of(model.nics, p.nic));
        }
    }
    number_classes();
    number_queues();
    group_cores();
}

std::size_t Layout::input_queue(const Input &input) const
{
    switch (input.kind) {
    case InputKind::port:
        return first_rx_queue[number_of(model.ports, input.name)] + input.queue;
    case InputKind::ring:
        return first_ring + number_of(model.rings, input.name);
    case InputKind::accelerator:
        break;
    }
    return first_device + number_of(model.accelerators, input.name);
}

std::size_t Layout::output_queue(const Output &output) const
{
    return output.kind == OutputKind::ring
               ? first_ring + number_of(model.rings, output.to)
               : first_device + number_of(model.accelerators, output.to);
}

void Layout::number_classes()
{
    for (const Source &source : model.sources) {
        classes.emplace_back();
        for (const FlowClass &c : source.classes) {
            auto known = std::find(class_names.begin(), class_names.end(), c.name);
            classes.back().push_back(static_cast<std::uint8_t>(known - class_names.begin()));
            if (known == class_names.end()) {
                class_names.push_back(c.name);
            }
            for (const FrameSize &frame : c.frames) {
                largest_frame = std::max<std::size_t>(largest_frame, frame.bytes);
                smallest_frame = std::min<std::size_t>(smallest_frame, frame.bytes);
            }
        }
        for (std::uint64_t bytes : source.arrivals.frame_bytes) {
            largest_frame = std::max<std::size_t>(largest_frame, bytes);
            smallest_frame = std::min<std::size_t>(smallest_frame, bytes);
        }
    }
}

void Layout::number_queues()
{
    for (const Port &p : model.ports) {
        first_rx_queue.push_back(queues.size());
        for (std::size_t q = 0; q < p.rx_queues; ++q) {
            queues.push_back({p.name + ".rx" + std::to_string(q), p.rx_ring, kNobody, 0});
        }
    }
    first_ring = queues.size();
    for (const Ring &r : model.rings) {
        queues.push_back({r.name, r.capacity, kNobody, 0});
    }
    first_device = queues.size();
    for (const Accelerator &a : model.accelerators) {
        queues.push_back({a.name, a.queue, kNobody, 0});
    }
    for (std::size_t c = 0; c < model.cores.size(); ++c) {
        tx_queue.emplace_back();
        for (const Task &task : model.cores[c].tasks) {
            queues[input_queue(task.input)].consumer_core = c;
        }
    }
    for (std::size_t c = 0; c < model.cores.size(); ++c) {
        const Core &owner = model.cores[c];
        for (const Task &task : owner.tasks) {
            tx_queue[c].push_back(kNobody);
            if (task.output.kind == OutputKind::port) {
                tx_queue[c].back() = queues.size();
                const Port &p = model.ports[number_of(model.ports, task.output.to)];
                queues.push_back({owner.name + "." + task.name + ".tx", p.tx_ring, kNobody, 0});
            }
        }
    }
}

void Layout::group_cores()
{
    std::size_t count = model.cores.size();
    Sets sets(count);
    std::map<std::string, std::size_t> users; // of a shared thing: the first core
    auto share = [&](const std::string &what, std::size_t c) {
        sets.join(users.try_emplace(what, c).first->second, c);
    };
    for (std::size_t c = 0; c < count; ++c) {
        const Core &one = model.cores[c];
        if (!one.sibling.empty()) {
            sets.join(c, number_of(model.cores, one.sibling));
        }
        for (const Task &task : one.tasks) {
            for (const Stage &stage : task.stages) {
                if (!stage.accelerator.empty()) {
                    share("device " + stage.accelerator, c);
                }
            }
            if (task.output.kind == OutputKind::ring ||
                task.output.kind == OutputKind::accelerator) {
                sets.join(c, queues[output_queue(task.output)].consumer_core);
            }
            if (task.output.kind == OutputKind::accelerator) {
                share("device " + task.output.to, c);
            }
            if (task.output.kind == OutputKind::port) {
                std::size_t p = number_of(model.ports, task.output.to);
                if (!tx_wire_times(model.ports[p], largest_frame).empty()) {
                    share("port " + task.output.to, c);
                }
                if (!tx_engine_times(nics[nic_of_port[p]], largest_frame).empty()) {
                    share("nic " + std::to_string(nic_of_port[p]), c);
                }
            }
        }
    }
    std::map<std::size_t, std::size_t> numbers;
    for (std::size_t c = 0; c < count; ++c) {
        group_of_core.push_back(numbers.try_emplace(sets.root(c), numbers.size()).first->second);
    }
    groups = numbers.size();
    for (QueueInfo &queue : queues) {
        if (queue.consumer_core != kNobody) {
            queue.group = group_of_core[queue.consumer_core];
        }
    }
    for (std::size_t c = 0; c < count; ++c) {
        for (std::size_t queue : tx_queue[c]) {
            if (queue != kNobody) {
                queues[queue].group = group_of_core[c];
            }
        }
    }
}

} // namespace planecast::sim
