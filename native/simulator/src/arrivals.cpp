#include "arrivals.hpp"

#include "portable_math.hpp"
#include "prefix_scan.hpp"

#include <algorithm>
#include <cmath>

namespace planecast::sim
{

namespace
{

constexpr double kTwo64 = 18446744073709551616.0;

// −log of the smallest uniform is 36.7: a gap is never more than so many means.
constexpr double kLongestGap = 37;

} // namespace

ArrivalProcess::ArrivalProcess(const Arrivals &model, std::uint64_t seed)
    : model_(model), random_(seed), laned_(seed ^ 0x5bf0363db55e3a95ULL),
      burst_(model.burst_packets), now_(ps_from_ns(model.offset_ns))
{
    if (model.kind == ArrivalKind::timestamps) {
        return;
    }
    mean_gap_ = std::min(1e12 / model.rate_pps, static_cast<double>(kNever));
    double whole = std::floor(mean_gap_);
    period_ = ps_from(whole);
    period_fraction_ = static_cast<std::uint64_t>((mean_gap_ - whole) * kTwo64);
    burst_gap_ = model.peak_pps > 0 ? 1e12 / model.peak_pps : 0;
}

std::span<const Ps> ArrivalProcess::next_batch()
{
    std::size_t count = 0;
    switch (model_.kind) {
    case ArrivalKind::constant:
        count = fill_constant();
        break;
    case ArrivalKind::poisson:
        count = fill_poisson();
        break;
    case ArrivalKind::on_off:
        count = fill_on_off();
        break;
    case ArrivalKind::timestamps:
        count = fill_timestamps();
        break;
    }
    return {times_.data(), count};
}

std::size_t ArrivalProcess::fill_constant()
{
    Ps now = now_;
    std::uint64_t fraction = fraction_;
    for (Ps &time : times_) {
        time = now;
        fraction += period_fraction_;
        now = later(now, period_ + (fraction < period_fraction_ ? 1 : 0));
    }
    now_ = now;
    fraction_ = fraction;
    return kBatch;
}

std::size_t ArrivalProcess::fill_poisson()
{
    laned_.exponentials(gaps_.data(), kBatch);
    if (mean_gap_ * kLongestGap < 1e15) {
        // Rounds a double below 2^51 by adding 2^52 + 2^51: the integer is then in its low bits.
        constexpr double kRound = 6755399441055744.0;
        constexpr Ps kRoundBits = 0x4338000000000000;
        for (std::size_t i = 0; i < kBatch; ++i) {
            times_[i] = std::bit_cast<Ps>(gaps_[i] * mean_gap_ + kRound) - kRoundBits;
        }
    } else {
        for (std::size_t i = 0; i < kBatch; ++i) {
            times_[i] = ps_from(gaps_[i] * mean_gap_);
        }
    }
    Ps now = now_;
    if (mean_gap_ * kLongestGap * kBatch < static_cast<double>(kNever / 2) && now < kNever / 2) {
        now = add_up(times_.data(), kBatch, now, times_.data()); // far from the end of time
    } else {
        for (Ps &time : times_) {
            time = now = later(now, time);
        }
    }
    now_ = now;
    return kBatch;
}

std::size_t ArrivalProcess::fill_on_off()
{
    for (Ps &time : times_) {
        if (left_ == 0) {
            double drawn = std::max(1.0, std::floor(burst_.draw(random_) + 0.5));
            left_ = static_cast<std::uint64_t>(std::min(drawn, 1e6)); // they may come all at once
            if (started_ || model_.random_gap) {
                // Every burst of n packets is followed by what keeps the mean rate.
                double gap = std::max(0.0, static_cast<double>(left_) * (mean_gap_ - burst_gap_)) +
                             (started_ ? burst_gap_ : 0);
                now_ =
                    later(now_, ps_from(model_.random_gap ? -gap * log_of(random_.unit()) : gap));
            }
            started_ = true;
        } else {
            now_ = later(now_, ps_from(burst_gap_));
        }
        --left_;
        time = now_;
    }
    return kBatch;
}

std::size_t ArrivalProcess::fill_timestamps()
{
    const std::vector<double> &list = model_.times_ns;
    std::size_t count = 0;
    while (count < kBatch) {
        if (next_ == list.size()) {
            if (!model_.repeat) {
                break;
            }
            base_ = later(times_[(count + kBatch - 1) % kBatch], ps_from_ns(model_.repeat_gap_ns));
            next_ = 0;
        }
        times_[count++] = later(base_, ps_from_ns(list[next_++]));
    }
    return count;
}

} // namespace planecast::sim
