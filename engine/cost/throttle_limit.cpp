// SPDX-License-Identifier: Apache-2.0
#include "cost/throttle_limit.h"

#include <fmt/format.h>

#include "plan/built_layers.h"

namespace ringside {
namespace {

// Returns the duration of the backward pass of the largest batch, in seconds: twice that of the forward pass, three
// times with recomputation.
double backwardSeconds(const PlanSubject& subject) {
    const RunConfig& config = subject.config;
    if (config.parallel.throttle.gflops <= 0) return 0;
    const double times = backwardPerForward(config.training.recompute);
    return times * static_cast<double>(subject.model.flops()) * static_cast<double>(subject.largestBatch()) /
           (1e9 * config.parallel.throttle.gflops);
}

// Returns the duration of a ring all-reduce of the gradients, in seconds: 2 (W - 1) rounds with 1 / W of the bytes
// each, for W ranks.
double movingSeconds(const PlanSubject& subject) {
    const ThrottleConfig& throttle = subject.config.parallel.throttle;
    const auto ranks = static_cast<double>(subject.config.parallel.worldSize);
    if (ranks < 2) return 0;
    const double bytes = 4 * static_cast<double>(subject.model.parameters()) / ranks;
    const double moving = throttle.gbitPerSecond > 0 ? 8 * bytes / (1e9 * throttle.gbitPerSecond) : 0;
    return 2 * (ranks - 1) * (moving + 1e-6 * throttle.latencyUs);
}

}  // namespace

Problems checkThrottleLimit(const PlanSubject& subject) {
    const double most = subject.config.parallel.timeoutSeconds / 2;
    const auto refused = [most](const char* field, const char* what, double lasts) -> Problems {
        const std::string text = fmt::format(
            "makes {} last {:.3g} s; the maximum is {:.3g} s, half of parallel.timeout_seconds", what, lasts, most);
        return {{field, text, "raise " + std::string(field) + " or parallel.timeout_seconds"}};
    };
    if (const double lasts = backwardSeconds(subject); lasts > most)
        return refused("parallel.pace.gflops", "a backward pass", lasts);
    if (const double lasts = movingSeconds(subject); lasts > most)
        return refused("parallel.pace.gbit_per_s", "the gradients' all-reduce", lasts);
    return {};
}

}  // namespace ringside
