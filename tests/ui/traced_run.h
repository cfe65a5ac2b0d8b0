// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/run_model.h"
#include "telemetry/events/codec.h"

inline constexpr std::int64_t kTracedMs = 1'000'000;

// Returns a step of a rank: it works for `worksMs`, waits for the last rank, moves for 2 ms and updates for 1 ms.
inline ringside::StepTrace tracedStep(int rank, std::int64_t step, std::int64_t beginMs, std::int64_t worksMs,
                                      std::int64_t lastMs) {
    using ringside::Phase;
    ringside::StepTrace trace;
    trace.rank = rank;
    trace.step = step;
    trace.beginNs = beginMs * kTracedMs;
    trace.lengthNs = (lastMs + 3) * kTracedMs;
    trace.cpuNs = worksMs * kTracedMs;
    for (const auto& [phase, at] : {std::pair(Phase::kBackward, std::int64_t{0}),
                                    {Phase::kWaiting, worksMs * kTracedMs},
                                    {Phase::kOptimizer, (lastMs + 2) * kTracedMs}}) {
        trace.phase.push_back(static_cast<std::int64_t>(phase));
        trace.at.push_back(at);
        trace.cpu.push_back(0);
    }
    trace.group = {0};
    trace.collective = {step};
    trace.kind = {0};
    trace.bytes = {1 << 20};
    trace.ready = trace.arrived = {worksMs * kTracedMs};
    trace.last = {lastMs * kTracedMs};
    trace.ended = {(lastMs + 2) * kTracedMs};
    separateWaitingFromMoving(trace);
    return trace;
}

// Returns the same step with a pause of `pauseMs` after 4 ms of its work.
inline ringside::StepTrace pausedStep(ringside::StepTrace trace, std::int64_t pauseMs) {
    using ringside::Phase;
    const std::int64_t pause = pauseMs * kTracedMs;
    trace.lengthNs += pause;
    for (auto* column : {&trace.ready, &trace.arrived, &trace.last, &trace.ended}) (*column)[0] += pause;
    for (std::size_t i = 1; i < trace.at.size(); ++i) trace.at[i] += pause;
    const auto first = static_cast<std::int64_t>(Phase::kBackward);
    trace.phase.insert(trace.phase.begin() + 1, {static_cast<std::int64_t>(Phase::kPaused), first});
    trace.at.insert(trace.at.begin() + 1, {4 * kTracedMs, 4 * kTracedMs + pause});
    trace.cpu.insert(trace.cpu.begin() + 1, {0, 0});
    return trace;
}

// A run whose rank `late` works for 30 ms in every step, the others for 10 ms: steps of 33 ms.
struct TracedRun {
    ringside::RunModel& model;
    int ranks;
    int late;
    std::int64_t done = 0;
    std::int64_t beginMs = 100;

    TracedRun(ringside::RunModel& run, int worldSize, int lateRank, const std::string& directory = {})
        : model(run), ranks(worldSize), late(lateRank) {
        ringside::RunStarted started;
        started.runDirectory = directory;
        started.worldSize = ranks;
        started.stepsPerEpoch = 12;
        started.epochs = 10;
        started.batchSize = 32;
        ringside::RunConfig config;
        config.parallel.worldSize = ranks;
        config.stepPitfalls.slowRank = late;
        started.config = config.toText();
        feed(started);
    }
    void feed(const ringside::Event& event) { model.feed(QByteArray::fromStdString(encode(event))); }
    void steps(int count, std::int64_t lateMs = 30) {
        for (int i = 0; i < count; ++i) {
            ++done;
            for (int rank = 0; rank < ranks; ++rank)
                feed(tracedStep(rank, done, beginMs, rank == late ? lateMs : 10, std::max<std::int64_t>(lateMs, 10)));
            beginMs += std::max<std::int64_t>(lateMs, 10) + 3;
        }
    }
    void end(ringside::RunOutcome state, int firstFailed = -1, const char* verdict = "") {
        ringside::RunEnded ended;
        ended.state = state;
        ended.firstFailedRank = firstFailed;
        ended.verdict = verdict;
        ended.timeUs = beginMs * 1000;
        feed(ended);
    }
};
