#include "group.hpp"

#include "frame_times.hpp"

#include <algorithm>

namespace planecast::sim
{

Group::Group(const Layout &layout, std::size_t number)
    : recorder(static_cast<unsigned>(layout.model.run.histogram_digits), layout.class_names.size()),
      trace(layout.model.run.trace_events), by_number_(layout.model.cores.size())
{
    for (std::size_t q = 0; q < layout.queues.size(); ++q) {
        const QueueInfo &info = layout.queues[q];
        if (info.group == number && info.consumer_core != Layout::kNobody) {
            queues[q] =
                std::make_unique<PacketQueue>(info.name, info.capacity, q < layout.first_ring);
            queues[q]->consumer = static_cast<std::uint32_t>(info.consumer_core);
        }
    }
    for (std::size_t c = 0; c < layout.model.cores.size(); ++c) {
        if (layout.group_of_core[c] == number) {
            build_core(layout, c);
        }
    }
    for (auto &[c, core] : cores) {
        if (!core->model.sibling.empty()) {
            core->sibling = by_number_[number_of(layout.model.cores, core->model.sibling)];
        }
    }
    for (auto &[c, core] : cores) {
        core->connected(cores.size() == 1);
    }
}

void Group::build_core(const Layout &layout, std::size_t number)
{
    const Core &model = layout.model.cores[number];
    auto core =
        std::make_unique<CoreRun>(model, static_cast<std::uint32_t>(number), layout.model.run);
    core->trace = layout.model.run.trace_events > 0 ? &trace : nullptr;
    for (std::size_t t = 0; t < core->tasks.size(); ++t) {
        TaskRun &task = core->tasks[t];
        task.input = queue(layout.input_queue(task.model.input));
        for (StageRun &stage : task.stages) {
            stage.number_classes(layout.class_names);
            if (!stage.model.accelerator.empty()) {
                stage.device = device(layout, stage.model.accelerator);
            }
        }
        connect(layout, task.model.output, task.output, layout.tx_queue[number][t]);
    }
    by_number_[number] = core.get();
    cores.emplace_back(number, std::move(core));
}

void Group::connect(const Layout &layout, const Output &output, OutputRun &run,
                    std::size_t tx_number)
{
    run.recorder = &recorder;
    if (output.kind == OutputKind::port) {
        const QueueInfo &info = layout.queues[tx_number];
        run.tx = std::make_unique<TxQueue>(info.name, info.capacity,
                                           wire(layout, number_of(layout.model.ports, output.to)),
                                           recorder);
        tx_queues.emplace_back(tx_number, run.tx.get());
    }
    if (output.kind == OutputKind::ring) {
        run.queue = queue(layout.output_queue(output));
        run.handoff =
            ps_from_ns(layout.model.rings[number_of(layout.model.rings, output.to)].handoff_ns);
    }
    if (output.kind == OutputKind::accelerator) {
        run.queue = queue(layout.output_queue(output));
        run.device = device(layout, output.to);
    }
}

Device *Group::device(const Layout &layout, const std::string &name)
{
    const std::size_t number = number_of(layout.model.accelerators, name);
    const std::uint64_t seed = stream_seed(layout.model.run.seed, Purpose::device, number);
    return &devices_.try_emplace(number, layout.model.accelerators[number], seed).first->second;
}

TxWire &Group::wire(const Layout &layout, std::size_t port)
{
    const std::size_t nic = layout.nic_of_port[port];
    auto [engine_at, new_engine] = engines_.try_emplace(nic);
    auto [wire_at, new_wire] = wires_.try_emplace(port);
    TxEngine &engine = engine_at->second;
    TxWire &wire = wire_at->second;
    if (new_engine) {
        engine.latency = ps_from_ns(layout.nics[nic].tx_latency_ns);
        engine.service = tx_engine_times(layout.nics[nic], layout.largest_frame);
    }
    if (new_wire) {
        wire.engine = engine.service.empty() ? nullptr : &engine;
        wire.latency = engine.latency;
        std::vector<Ps> &own = wire_times_[port];
        own = tx_wire_times(layout.model.ports[port], layout.largest_frame);
        wire.service = own.empty() ? nullptr : own.data();
        if (!own.empty() && layout.smallest_frame == layout.largest_frame) {
            wire.only = own[layout.largest_frame];
        }
        for (const std::vector<Ps> *times : {&own, &engine.service}) {
            if (!times->empty()) {
                wire.shortest = std::max(wire.shortest, (*times)[layout.smallest_frame]);
            }
        }
    }
    return wire;
}

PacketQueue *Group::queue(std::size_t number) const
{
    auto found = queues.find(number);
    return found == queues.end() ? nullptr : found->second.get();
}

void Group::run_until(Ps horizon)
{
    turn_.steps = 0;
    turn_.horizon = horizon;
    if (cores.size() == 1) { // alone: no order to keep
        running_ = cores.front().second.get();
        turn_.limit = horizon;
        while (running_->wake() < horizon) {
            running_->run(turn_, *this);
        }
        steps += turn_.steps;
        return;
    }
    for (;;) {
        CoreRun *first = nullptr;
        Ps earliest = horizon;
        Ps second = horizon;
        for (auto &[number, core] : cores) {
            Ps wake = core->wake();
            if (wake < earliest) {
                second = earliest;
                earliest = wake;
                first = core.get();
            } else if (wake < second) {
                second = wake;
            }
        }
        if (first == nullptr) {
            break;
        }
        // It continues alone until the next one has something to do, or it gives one something.
        running_ = first;
        turn_.limit = std::min(horizon, second + 1);
        first->run(turn_, *this);
    }
    steps += turn_.steps;
}

void Group::arrival(std::uint32_t number, Ps when)
{
    CoreRun *core = by_number_[number];
    if (core != running_) {
        core->arrival_at(when);
        turn_.limit = std::min(turn_.limit, core->wake() + 1);
    }
}

void Group::room(std::uint32_t number, Ps when)
{
    CoreRun *core = by_number_[number];
    core->room_at(when);
    turn_.limit = std::min(turn_.limit, core->wake() + 1);
}

void Group::settle(Ps instant)
{
    for (auto &[number, one] : queues) {
        one->settle(instant - 1);
    }
    for (auto &[number, one] : tx_queues) {
        one->prune(instant - 1);
    }
}

void Group::count(Snapshot &now, Ps instant) const
{
    auto inside = [&now](const auto &packet) {
        ++now.all[kInFlight];
        ++now.classes[packet.flow_class][kInFlight];
    };
    for (const auto &[number, one] : queues) {
        const QueueCounts &counts = one->counts;
        now.queues[number] = {counts.area, counts.waits, static_cast<Int128>(counts.left),
                              static_cast<Int128>(one->waiting())};
        now.all[kDropped] += counts.dropped;
        one->each_inside(inside);
    }
    for (const auto &[number, one] : tx_queues) {
        now.queues[number] = {one->waits - one->waits_of_inside(instant), one->waits,
                              static_cast<Int128>(one->entered),
                              static_cast<Int128>(one->inside())};
        now.all[kDropped] += one->dropped;
        std::for_each(one->all_inside().begin(), one->all_inside().end(), inside);
    }
    for (const auto &[number, core] : cores) {
        const CoreTime time = core->time_at(instant);
        now.cores[number] = {time.busy, time.polling, time.waiting, time.disturbed, 0, 0};
        core->each_in_hand(inside);
        for (const TaskRun &task : core->tasks) {
            now.all[kDropped] += task.dropped;
            now.cores[number][kBursts] += task.bursts;
            now.cores[number][kPackets] += task.packets;
        }
    }
    now.all[kForwarded] += recorder.forwarded;
    now.all[kBytes] += recorder.bytes;
    now.all[kLatency] += recorder.latency_sum;
    for (std::size_t c = 0; c < recorder.by_class.size(); ++c) {
        now.classes[c][kForwarded] += recorder.by_class[c].forwarded;
        now.classes[c][kLatency] += recorder.by_class[c].latency;
    }
}

} // namespace planecast::sim
