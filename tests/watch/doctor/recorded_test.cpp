// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/places.h"
#include "telemetry/events/codec.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

int rankOf(const Event& event) {
    return std::visit(
        [](const auto& one) {
            if constexpr (requires { one.rank; }) return static_cast<int>(one.rank);
            return -1;
        },
        event);
}

// Judges a recorded run from tests/watch/doctor/recorded. If `knowsQueue` is false, the traces lack the time in which a
// thread was runnable but had no CPU, as on a system that does not count this time.
// slowdown: factor by which the times of steps, waits and queues are multiplied, as on a slower computer.
Diagnosis judged(const std::string& name, bool knowsQueue = true, std::int64_t slowdown = 1) {
    Evidence evidence;
    const std::string path = sourceFile("tests/watch/doctor/recorded/" + name + ".jsonl");
    std::istringstream lines(readFile(path, 1U << 20).value());
    for (std::string line; std::getline(lines, line);) {
        Event event = decodeLine(line).value();
        if (auto* const trace = std::get_if<StepTrace>(&event); trace != nullptr)
            trace->queuedNs = knowsQueue ? trace->queuedNs * slowdown : -1;
        if (auto* const steps = std::get_if<StepsFrame>(&event); steps != nullptr) {
            for (std::int64_t& one : steps->endUs) one *= slowdown;
            for (std::int64_t& one : steps->dataUs) one *= slowdown;
        }
        evidence.add(rankOf(event), event);
    }
    return findingsOf(evidence);
}

}  // namespace

TEST_CASE("a rank whose CPU other programs use is not a straggler") {
    const Diagnosis blind = judged("rank_without_cpu", false);
    CHECK(accusations(blind) == std::vector<std::string>{"straggler"});
    CHECK(findingOf(blind, "straggler").text.find("Rank 0 arrives last in 78 % of steps") == 0);
    CHECK(accusations(judged("rank_without_cpu")).empty());
}

TEST_CASE("a loader is not slow if its rank waits for a CPU") {
    // The ranks wait 5.3 and 5.9 ms per step, less than the limit of 8 ms. On a computer half as fast, only the queued
    // time shows that the loader is not the cause.
    CHECK(accusations(judged("loader_without_cpu", false)).empty());
    CHECK(accusations(judged("loader_without_cpu", false, 2)) == std::vector<std::string>{"loader-slow"});
    CHECK(accusations(judged("loader_without_cpu", true, 2)).empty());
    CHECK(accusations(judged("loader_without_cpu")).empty());
}

TEST_CASE("ranks that draw the same samples with replacement are named") {
    const Diagnosis diagnosis = judged("equal_draws");
    CHECK(accusations(diagnosis) == std::vector<std::string>{"shards-overlap"});
    CHECK(
        findingOf(diagnosis, "shards-overlap").text ==
        "Ranks 0 and 1 draw the same 320 samples in the same order in epoch 1: the RandomSampler has the same seed on "
        "all ranks.");
    CHECK(findingOf(diagnosis, "shards-overlap").where == "mistake.py:52");
    CHECK(accusations(judged("different_draws")).empty());
    CHECK(resultOf(judged("different_draws"), "shards-overlap") == "passed");
}
