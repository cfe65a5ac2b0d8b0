// SPDX-License-Identifier: Apache-2.0
#include "telemetry/steps/phase.h"

#include <time.h>

#include <array>

#include "base/time/monotonic.h"

namespace ringside {
namespace {

constexpr std::array<std::string_view, kPhaseCount> kPhaseNames{"connect",    "data",       "copy",   "forward",
                                                                "backward",   "waiting",    "moving", "optimizer",
                                                                "validation", "checkpoint", "paused", "idle"};

}  // namespace

std::string_view phaseName(Phase phase) {
    return kPhaseNames[static_cast<std::size_t>(phase)];
}

std::optional<Phase> phaseNamed(std::string_view name) {
    for (std::size_t i = 0; i < kPhaseNames.size(); ++i)
        if (kPhaseNames[i] == name) return static_cast<Phase>(i);
    if (name == "all-reduce") return Phase::kWaiting;
    if (name == "save") return Phase::kCheckpoint;
    return {};
}

std::int64_t threadCpuNs() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

void PhaseTrack::stamp(Phase phase, int layer) {
    if (m_stamps->size() < m_stamps->capacity())
        m_stamps->push_back({phase, static_cast<std::int32_t>(layer), monotonicNs(), threadCpuNs()});
}

bool isWork(Phase phase) {
    switch (phase) {
        case Phase::kCopy:
        case Phase::kForward:
        case Phase::kBackward:
        case Phase::kWaiting:
        case Phase::kMoving:
        case Phase::kOptimizer:
        case Phase::kValidation:
            return true;
        case Phase::kConnect:
        case Phase::kDataWait:
        case Phase::kCheckpoint:
        case Phase::kPaused:
        case Phase::kIdle:
            break;
    }
    return false;
}

}  // namespace ringside
