// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "support/catch.h"
#include "watch/doctor/reports.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr std::int64_t kMs = 1'000'000;  // nanoseconds
constexpr int kBoth = 1000;

// Adds traces of steps with 1 ms of data wait, 2 ms forward, 3 ms backward and 1 ms optimizer on each rank, followed by
// the wait for the slower rank. The rank `late` needs `extra` ns more in one phase. late = -1: no rank is slower;
// kBoth: both ranks wait. queued: time in which each rank was runnable but had no CPU, in ns; -1: not known.
void trace(Reports& reports, int late, Phase phase, Phase waitsIn = Phase::kWaiting, std::int64_t steps = 20,
           std::int64_t extra = 50 * kMs, std::array<std::int64_t, 2> queued = {-1, -1}) {
    for (std::int64_t step = 1; step <= steps; ++step) {
        for (int rank = 0; rank < 2; ++rank) {
            const auto length = [&](Phase one, std::int64_t ms) {
                return ms * kMs + (rank == late && one == phase ? extra : 0);
            };
            StepTrace one;
            one.rank = rank;
            one.step = step;
            one.beginNs = step * 60 * kMs;
            std::int64_t at = 0;
            std::int64_t cpu = 0;
            const auto add = [&](Phase what, std::int64_t ns, std::int64_t waits = 0) {
                one.phase.push_back(static_cast<std::int64_t>(what));
                one.at.push_back(at);
                one.cpu.push_back(cpu);
                at += ns + waits;
                cpu += ns;
            };
            const std::int64_t wait = late == kBoth || (late >= 0 && rank != late) ? extra : 0;
            add(Phase::kDataWait, length(Phase::kDataWait, 1));
            add(Phase::kForward, length(Phase::kForward, 2), waitsIn == Phase::kForward ? wait : 0);
            add(Phase::kBackward, length(Phase::kBackward, 3));
            add(Phase::kWaiting, 0, waitsIn == Phase::kWaiting ? wait : 0);
            add(Phase::kOptimizer, length(Phase::kOptimizer, 1));
            one.lengthNs = at;
            one.cpuNs = cpu;
            one.queuedNs = queued[static_cast<std::size_t>(rank)];
            one.group = {5};
            one.collective = {step};
            one.kind = {0};
            one.bytes = {40};
            one.ready = one.arrived = {6 * kMs};
            one.last = {-1};
            one.ended = {7 * kMs};
            reports.event(rank, one);
        }
    }
}

}  // namespace

TEST_CASE("a straggler is named by rank and phase") {
    struct Row {
        Phase phase;
        std::string words;
        std::string line;
    };
    for (const auto& [phase, words, line] :
         {Row{Phase::kDataWait, "the wait of this rank for batches takes 51.0 ms", "train.py:30"},
          Row{Phase::kForward, "the forward pass of this rank takes 52.0 ms", ""},
          Row{Phase::kBackward, "the backward pass of this rank takes 53.0 ms", "train.py:40"},
          Row{Phase::kOptimizer, "the optimizer step of this rank takes 51.0 ms", "train.py:50"}}) {
        Reports reports = healthyDdp();
        healthyEpochs(reports);
        trace(reports, 1, phase);
        const Diagnosis diagnosis = reports.diagnosis();
        INFO(words);
        CHECK(resultOf(diagnosis, "straggler") == "found");
        CHECK(accusations(diagnosis) == std::vector<std::string>{"straggler"});
        const Finding finding = findingOf(diagnosis, "straggler");
        CHECK(finding.text.find(
                  "Rank 1 arrives last in 100 % of steps and costs the other ranks 50.0 ms of 57.0 ms per step") == 0);
        CHECK(finding.text.find(words) != std::string::npos);
        CHECK(finding.where == line);
    }
}

TEST_CASE("a rank that costs the other ranks less than 100 ms in total is not a straggler") {
    const auto resultAfter = [](std::int64_t steps) {
        Reports reports = healthyDdp();
        trace(reports, 1, Phase::kBackward, Phase::kWaiting, steps, 2 * kMs);
        return resultOf(reports.diagnosis(), "straggler");
    };
    CHECK(resultAfter(40) == "passed");
    CHECK(resultAfter(100) == "found");
}

TEST_CASE("a late rank is not judged if the ranks wait for a CPU longer than the rank costs the other ranks") {
    // Rank 1 needs 50 ms more in each step of 57 ms.
    const auto diagnosisWith = [](std::array<std::int64_t, 2> queued) {
        Reports reports = healthyDdp();
        trace(reports, 1, Phase::kDataWait, Phase::kWaiting, 20, 50 * kMs, queued);
        return reports.diagnosis();
    };
    CHECK(resultOf(diagnosisWith({0, 20 * kMs}), "straggler") == "found");  // 30 ms are not explained
    for (const std::array<std::int64_t, 2> queued : {std::array{std::int64_t{0}, 40 * kMs}, {52 * kMs, 0}}) {
        const Diagnosis diagnosis = diagnosisWith(queued);
        CHECK(accusations(diagnosis).empty());
        CHECK(resultOf(diagnosis, "straggler") == "could_not_judge");
    }
    CHECK(reasonOfResult(diagnosisWith({0, 40 * kMs}), "straggler") ==
          "rank 1 often arrives last, but the processes waited for a CPU 70 % of the time");
}

TEST_CASE("ranks that all wait for a CPU are not judged") {
    Reports reports = healthyDdp();
    trace(reports, -1, Phase::kIdle, Phase::kWaiting, 100, 0, {4 * kMs, 4 * kMs});  // of 7 ms
    CHECK(resultOf(reports.diagnosis(), "straggler") == "could_not_judge");
    CHECK(reasonOfResult(reports.diagnosis(), "straggler") == "the processes waited for a CPU 57 % of the time");
}

TEST_CASE("the lowest rank is a straggler if the other ranks wait for its buffers in their forward pass") {
    // Rank 0 waits 50 ms for its batch; rank 1 waits as long in its forward pass and uses no CPU there.
    Reports reports = healthyDdp();
    trace(reports, 0, Phase::kDataWait, Phase::kForward);
    CHECK(accusations(reports.diagnosis()).empty());
    reports.facts("data_parallel",
                  R"({"kind":"ddp","ranks":[0,1],"broadcast_buffers":true,"batch_norms":{"BatchNorm1d":1}})");
    CHECK(findingOf(reports.diagnosis(), "straggler").text.find("Rank 0 arrives last in 100 % of steps") == 0);
}

TEST_CASE("a rank that waits for a CPU is not a straggler if the other ranks wait as long for its buffers") {
    // Both forward passes take 52 ms and use 2 ms of CPU time.
    Reports reports = healthyDdp();
    trace(reports, kBoth, Phase::kForward, Phase::kForward);
    reports.facts("data_parallel",
                  R"({"kind":"ddp","ranks":[0,1],"broadcast_buffers":true,"batch_norms":{"BatchNorm1d":1}})");
    CHECK(resultOf(reports.diagnosis(), "straggler") == "passed");
}

TEST_CASE("ranks with equal work have no straggler, and without collectives nothing is judged") {
    Reports equal = healthyDdp();
    trace(equal, -1, Phase::kIdle);
    CHECK(resultOf(equal.diagnosis(), "straggler") == "passed");
    CHECK(resultOf(healthyDdp().diagnosis(), "straggler") == "could_not_judge");
}

TEST_CASE("a loader for which all ranks wait is a cost") {
    const auto with = [](std::int64_t dataUs, std::int64_t queuedNs = -1) {
        Reports reports = healthyDdp();
        healthyEpochs(reports);
        trace(reports, -1, Phase::kIdle, Phase::kWaiting, 20, 0, {queuedNs, queuedNs});
        for (int rank = 0; rank < 2; ++rank) {
            StepsFrame frame;
            frame.rank = rank;
            frame.learningRate = 0.1;
            for (std::int64_t step = 5; step <= 24; ++step) {
                frame.step.push_back(step);
                frame.loss.push_back(1);
                frame.samples.push_back(4);
                frame.endUs.push_back(20000 * step);
                frame.dataUs.push_back(dataUs);
            }
            reports.event(rank, frame);
        }
        return reports.diagnosis();
    };
    CHECK(accusations(with(12000)) == std::vector<std::string>{"loader-slow"});
    CHECK(findingOf(with(12000), "loader-slow").text ==
          "Each rank waits 12.0 ms of 20.0 ms per step for its next batch (60 %), with num_workers=0.");
    CHECK(accusations(with(3000)).empty());

    // The limits are 8 ms and 30 % of 20 ms. Without the queued time 10 ms remain, without twice this time 8 ms.
    CHECK(resultOf(with(12000, 2 * kMs), "loader-slow") == "found");
    CHECK(resultOf(with(7999), "loader-slow") == "passed");
    CHECK(resultOf(with(8000), "loader-slow") == "found");
    CHECK(accusations(with(12000, 4 * kMs)).empty());
    CHECK(resultOf(with(12000, 4 * kMs), "loader-slow") == "could_not_judge");
    CHECK(reasonOfResult(with(12000, 4 * kMs), "loader-slow") ==
          "the ranks wait for batches, but the processes waited for a CPU 20 % of the time");
    CHECK(resultOf(with(3000, 4 * kMs), "loader-slow") == "passed");
}

TEST_CASE("the report of a hang names the collective of the waiting ranks and the position of the other rank") {
    const std::string waits = R"({"for_us":9000000,"cpu_us":1000,"phase":"waiting","where":"train.py:48","steps":7,)"
                              R"("inside":{"operation":"all_reduce","group":0,"number":12,"for_us":9000000}})";
    const std::string sleeps = R"({"for_us":9100000,"cpu_us":900,"phase":"idle","where":"train.py:51","steps":7})";
    Reports hang = healthyDdp();
    hang.state(0, RankStage::kTraining, 1, 100).state(1, RankStage::kTraining, 2, 100);
    Reports busy = hang, ended = hang, isComputing = hang, same = hang, other = hang;
    hang.fact(0, "stalled", waits, 10'000'000).fact(1, "stalled", sleeps, 10'000'000);
    const Diagnosis diagnosis = hang.diagnosis();
    CHECK(findingOf(diagnosis, "hang").text ==
          "No rank has made progress for 10.0 s. Rank 0 waits in all_reduce number 12 of its process group "
          "(train.py:48); rank 1 does not reach it: this rank is in phase idle (train.py:51).");
    CHECK(findingOf(diagnosis, "hang").where == "train.py:48");

    // All ranks are in the collective: the network is slow, or the watch ended early.
    same.fact(0, "stalled", waits, 10'000'000).fact(1, "stalled", waits, 10'000'000);
    CHECK(resultOf(same.diagnosis(), "hang") == "could_not_judge");
    const std::string next = R"({"for_us":9000000,"cpu_us":0,"phase":"waiting","where":"train.py:49","inside":)"
                             R"({"operation":"all_reduce","group":0,"number":13}})";
    other.fact(0, "stalled", waits, 10'000'000).fact(1, "stalled", next, 10'000'000);
    CHECK(findingOf(other.diagnosis(), "hang").text ==
          "No rank has made progress for 10.0 s. Rank 0 waits in all_reduce number 12 of its process group "
          "(train.py:48); rank 1 waits in all_reduce number 13 of its process group (train.py:49).");

    // Rank 1 computes, for example an evaluation on one rank.
    busy.fact(0, "stalled", waits, 10'000'000);
    busy.fact(1, "stalled", R"({"for_us":9000000,"cpu_us":8900000,"phase":"idle"})", 10'000'000);
    CHECK(accusations(busy.diagnosis()).empty());
    isComputing.fact(0, "stalled", waits, 10'000'000).fact(1, "pass", R"({"loader":3,"pass":0})", 9'000'000);
    CHECK(accusations(isComputing.diagnosis()).empty());
    ended.fact(0, "stalled", waits, 10'000'000).fact(1, "stalled", sleeps, 10'000'000);
    ended.state(0, RankStage::kFinished, 0, 11'000'000).state(1, RankStage::kFinished, 0, 11'000'000);
    CHECK(accusations(ended.diagnosis()).empty());
}

TEST_CASE("a rank that has finished while another one waits is a hang") {
    Reports reports = healthyDdp();
    reports.state(1, RankStage::kFinished, 0, 100);
    reports.fact(0, "stalled", R"({"for_us":9000000,"cpu_us":0,"phase":"backward","where":"train.py:40"})", 10'000'000);
    CHECK(
        findingOf(reports.diagnosis(), "hang").text ==
        "No rank has made progress for 10.0 s. Rank 0 waits in the backward pass (train.py:40); rank 1 has finished.");
}
