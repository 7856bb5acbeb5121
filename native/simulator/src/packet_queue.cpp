#include "packet_queue.hpp"

#include <utility>

namespace planecast::sim
{

namespace
{

// So many waits that are shorter, as the largest ring holds packets, add up to less than 2^63.
constexpr Ps kNearWait = Ps{1} << 43;

// Σ (now − instant) over instants that never go back and are past.
Int128 waits_since(const Ps *instants, std::size_t count, Ps now)
{
    if (count > 0 && now - instants[0] < kNearWait) { // a vector's work
        Ps waited = 0;
        for (std::size_t i = 0; i < count; ++i) {
            waited += now - instants[i];
        }
        return waited;
    }
    Int128 waited = 0;
    for (std::size_t i = 0; i < count; ++i) {
        waited += now - instants[i];
    }
    return waited;
}

} // namespace

PacketQueue::PacketQueue(std::string called, std::size_t most, bool written_ahead)
    : name(std::move(called)), capacity(most), written_ahead_(written_ahead)
{
    resize(2 * capacity + 4096);
    seal();
}

void PacketQueue::resize(std::size_t size)
{
    ready_.resize(size);
    packets_.resize(alike_ ? capacity : size);
    entered_.resize(written_ahead_ ? 0 : size);
}

void PacketQueue::keep_instants_only(const Packet &packet, Ps latency_of_all)
{
    alike_ = true;
    pattern_ = packet;
    latency_ = latency_of_all;
    packets_ = std::vector<Packet>(capacity); // a burst at most
}

// Moves what is alive to the front. Half the array is free then, so a packet is moved once at most.
void PacketQueue::compact()
{
    auto at = [](auto &v, std::size_t i) { return v.begin() + static_cast<std::ptrdiff_t>(i); };
    std::size_t alive = tail_ - done_;
    auto close_gaps = [&](auto &v) {
        std::move(at(v, done_), at(v, tail_), v.begin());
        std::move(at(v, unseen_), at(v, end_), at(v, alive));
    };
    close_gaps(ready_);
    if (!alike_) {
        close_gaps(packets_);
    }
    if (!written_ahead_) { // these enter when they are written: none is unseen
        std::move(at(entered_, done_), at(entered_, tail_), entered_.begin());
    }
    head_ -= done_;
    done_ = 0;
    tail_ = alive;
    end_ = alive + (end_ - unseen_);
    unseen_ = alive;
    seal();
}

void PacketQueue::reserve(std::size_t count)
{
    if (unseen_ == end_) { // all arrivals are decided: the gap that drops left closes for free
        unseen_ = end_ = tail_;
    }
    // Where little is alive it moves at once: what is written stays in the host's first cache.
    if (end_ + count + kBeyond > ready_.size() ||
        (written_ahead_ && tail_ - done_ + end_ - unseen_ < count / 4)) {
        compact();
        std::size_t needed = end_ + count + kBeyond;
        if (needed + needed / 2 > ready_.size()) {
            resize(2 * needed);
        }
    }
    seal();
}

void PacketQueue::push(const Packet &packet, Ps now, Ps when)
{
    reserve(1);
    settle(now);
    packets_[tail_] = packet;
    ready_[tail_] = when;
    entered_[tail_] = now;
    unseen_ = end_ = ++tail_;
    seal();
    ++counts.entered;
    counts.max = std::max<std::uint64_t>(counts.max, waiting());
}

// Takes in what has come by now and there is room for; returns how much they have waited together.
Int128 PacketQueue::accept(Ps now)
{
    const Ps *const arrival = ready_.data() + unseen_;
    const std::size_t most = room();
    std::size_t count = 0;
    std::uint64_t sum = 0;
    while (count < most && arrival[count] <= now) {
        sum += static_cast<std::uint64_t>(now - arrival[count]);
        ++count;
    }
    const Int128 waited =
        now - arrival[0] < kNearWait ? Int128{sum} : waits_since(arrival, count, now);
    if (tail_ != unseen_) { // something was dropped since the last refill: close the gap
        auto move_down = [this, count](auto &v) {
            std::copy_n(v.data() + unseen_, count, v.data() + tail_);
        };
        move_down(ready_);
        if (!alike_) {
            move_down(packets_);
        }
    }
    tail_ += count;
    unseen_ += count;
    counts.entered += count;
    counts.max = std::max<std::uint64_t>(counts.max, waiting());
    while (ready_[unseen_] <= now) { // the ring is full
        ++unseen_;
        ++counts.dropped;
    }
    return waited;
}

Int128 PacketQueue::settle(Ps now)
{
    if (waiting() > 0) {
        counts.area += static_cast<Int128>(waiting()) * (now - settled_);
    }
    settled_ = now;
    const Int128 accepted = ready_[unseen_] <= now ? accept(now) : 0;
    counts.area += accepted;
    return accepted;
}

std::size_t PacketQueue::take(Ps now, std::size_t burst)
{
    const bool none_waited = waiting() == 0;
    const Int128 accepted = settle(now);
    std::size_t n = std::min(burst, waiting());
    while (n > 0 && ready_[head_ + n - 1] > now) { // a handoff on its way
        --n;
    }
    counts.waits += none_waited && n == waiting() ? accepted : waits_since(entered(), n, now);
    counts.left += n;
    head_ += n;
    show(n);
    return n;
}

Int128 PacketQueue::waits_of_waiting(Ps now) const
{
    return waits_since(entered(), waiting(), now);
}

void PacketQueue::pass(std::size_t count, std::size_t most, Ps waited)
{
    head_ = tail_ = unseen_ += count;
    counts.entered += count;
    counts.left += count;
    counts.max = std::max<std::uint64_t>(counts.max, most);
    counts.area += waited;
    counts.waits += waited;
}

} // namespace planecast::sim
