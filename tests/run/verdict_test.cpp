// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/verdict.h"

#include <csignal>

#include "launch/layout/last_words.h"
#include "support/catch.h"

using namespace ringside;

namespace {

std::vector<RankCondition> alive(int count) {
    std::vector<RankCondition> conditions(static_cast<std::size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
        conditions[static_cast<std::size_t>(rank)].rank = rank;
        conditions[static_cast<std::size_t>(rank)].hasSentAny = true;
    }
    return conditions;
}

void end(RankCondition& condition, bool signalled, int code, int order, const std::string& line = {},
         int missing = -1) {
    condition.end = ChildEnd{signalled, code};
    condition.endOrder = order;
    condition.missingRank = missing;
    if (!line.empty()) condition.lastLines = {line};
    if (!signalled && (code == 0 || code == 20))
        condition.reportedStage = code == 0 ? RankStage::kFinished : RankStage::kStopped;
}

}  // namespace

TEST_CASE("living ranks and ranks that finished need no verdict") {
    auto conditions = alive(3);
    end(conditions[1], false, 0, 1);
    end(conditions[2], false, 20, 2);
    CHECK_FALSE(judge(conditions, {}, true));
}

TEST_CASE("the rank that died first is named") {
    auto conditions = alive(3);
    end(conditions[0], false, 3, 2, "rank 0: late");
    end(conditions[2], true, SIGSEGV, 1);
    const auto verdict = judge(conditions, {}, false);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 2);
    CHECK(verdict->code == ExitCode::kRankDied);
    CHECK(verdict->text == "rank 2 was killed by signal 11 (SIGSEGV)");
}

TEST_CASE("a rank that the user of its computer ended left the run") {
    auto conditions = alive(2);
    conditions[0].end = ChildEnd{false, 10};
    conditions[0].endOrder = 1;
    conditions[1].host = "Ada";
    conditions[1].position = "at step 41 of epoch 3";
    conditions[1].end = ChildEnd{false, 20, false, true};
    conditions[1].endOrder = 2;
    const auto verdict = judge(conditions, {}, false);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->code == ExitCode::kRankDied);
    CHECK(verdict->text == "rank 1 on Ada left the run at step 41 of epoch 3");
}

TEST_CASE("a rank that only timed out waiting for a peer is not named as the cause") {
    auto conditions = alive(3);
    end(conditions[0], false, 10, 1, "rank 0: rank 1 did not reach collective 3 (barrier) within 1 s", 1);
    CHECK_FALSE(judge(conditions, {}, false));
    end(conditions[1], true, SIGKILL, 2);
    const auto verdict = judge(conditions, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->code == ExitCode::kRankDied);
}

TEST_CASE("a living rank for which other ranks wait counts as hung after the grace time") {
    auto conditions = alive(3);
    conditions[1].position = "at step 9 of epoch 0";
    end(conditions[2], false, 10, 1, "rank 2: communication was aborted");
    end(conditions[0], false, 10, 2, "rank 0: rank 1 did not reach collective 3 (barrier) within 1 s", 1);
    CHECK_FALSE(judge(conditions, {}, false));
    const auto verdict = judge(conditions, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find("rank 1 hung at step 9 of epoch 0, as rank 0 found") == 0);
}

TEST_CASE("a missing rank that exited early counts as dead, even with exit code 0") {
    auto conditions = alive(2);
    end(conditions[1], false, 0, 1);
    end(conditions[0], false, 10, 2, "rank 0: rank 1 did not reach collective 3 (barrier) within 1 s", 1);
    const auto verdict = judge(conditions, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankDied);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find("while the other ranks were training") != std::string::npos);
}

TEST_CASE("failed communication without a missing rank blames no rank, for any text") {
    auto conditions = alive(2);
    end(conditions[0], false, 10, 1, "rank 0: rank 1 did not hold what was expected");
    const auto verdict = judge(conditions, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->firstFailedRank == 0);
    CHECK(verdict->text == "rank 0 exited with code 10: rank 1 did not hold what was expected");
}

TEST_CASE("failed communication without a named rank is attributed to a stopped or silent rank") {
    auto conditions = alive(3);
    end(conditions[2], false, 10, 1, "rank 2: no rank wrote it");
    conditions[1].silentSeconds = 1.9;
    CHECK(judge(conditions, {10, 30, 5}, true)->firstFailedRank == 2);
    conditions[1].silentSeconds = 2.1;
    const auto verdict = judge(conditions, {10, 30, 5}, true);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text == "rank 1 hung, as rank 2 found: no rank wrote it");
    conditions[1].silentSeconds = 0;
    conditions[1].processStopped = true;
    CHECK(judge(conditions, {10, 30, 5}, true)->text.find("rank 1 hung (its process is stopped), as rank 2 found") ==
          0);
}

TEST_CASE("silence counts only beyond its limit, and before the first line beyond the start limit") {
    const SilenceLimits limits{10, 3};
    auto conditions = alive(2);
    conditions[1].silentSeconds = 2.9;
    CHECK_FALSE(judge(conditions, limits, false));
    conditions[1].silentSeconds = 3.1;
    REQUIRE(judge(conditions, limits, false));
    CHECK(judge(conditions, limits, false)->code == ExitCode::kRankHung);
    conditions[1].hasSentAny = false;
    CHECK_FALSE(judge(conditions, limits, false));
    conditions[1].silentSeconds = 10.1;
    CHECK(judge(conditions, limits, false)->text ==
          "rank 1 sent nothing within 10.0 s of its start; if this computer is busy, end other programs, lower "
          "parallel.world_size or raise parallel.timeout_seconds");
}

TEST_CASE("of stalled ranks the one furthest behind is named after its time limit") {
    const SilenceLimits limits{10, 30, 5};
    auto conditions = alive(3);
    for (RankCondition& condition : conditions) {
        condition.beat.step = 7;
        condition.beat.collective = 15;
        condition.beat.phase = Phase::kWaiting;
        condition.stalledSeconds = 6;
        condition.position = "at step 7 of epoch 0";
    }
    conditions[1].beat.collective = 14;
    conditions[1].beat.phase = Phase::kBackward;
    const auto verdict = judge(conditions, limits, false);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find(
              "rank 1 hung in backward at step 7 of epoch 0: heartbeats arrive, but no progress for 6.0 s") == 0);

    conditions[1].stalledSeconds = 0;  // rank 1 makes progress reading data, and the others only wait for it
    CHECK_FALSE(judge(conditions, limits, false));
    conditions[1].stalledSeconds = 6;
    conditions[1].longestStallSeconds = 1;  // its longest step took 1 s, so up to 8 s without progress are normal
    CHECK_FALSE(judge(conditions, limits, false));
    conditions[1].stalledSeconds = 8.1;
    CHECK(judge(conditions, limits, false));
}

TEST_CASE("a first step may take ten times as long, because the step time is not known yet") {
    const SilenceLimits limits{10, 30, 5};
    auto conditions = alive(1);
    conditions[0].beat.phase = Phase::kForward;
    conditions[0].position = "in forward before its first step";
    conditions[0].stalledSeconds = 49;
    CHECK_FALSE(judge(conditions, limits, false));
    conditions[0].stalledSeconds = 51;
    REQUIRE(judge(conditions, limits, false));
    CHECK(judge(conditions, limits, false)
              ->text.find("rank 0 hung in forward before its first step: heartbeats arrive") == 0);
}

TEST_CASE("the exit codes for configuration, device and internal errors become those of the run") {
    for (const int code : {2, 11, 70}) {
        auto conditions = alive(1);
        end(conditions[0], false, code, 1, "x");
        CHECK(static_cast<int>(judge(conditions, {}, false)->code) == code);
    }
}

TEST_CASE("if all ranks timed out, the rank named by another one returned too late") {
    auto conditions = alive(3);
    end(conditions[0], false, 10, 1, "rank 0: rank 1 did not reach collective 3 (barrier) within 3 s: see its log");
    end(conditions[1], false, 10, 2, "rank 1: rank 1 did not answer another rank in time, so communication ended");
    end(conditions[2], false, 10, 3, "rank 2: rank 1 did not answer another rank in time, so communication ended");
    for (RankCondition& condition : conditions) condition.missingRank = 1;
    const auto verdict = judge(conditions, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find(
              "rank 1 hung: it was unreachable for longer than parallel.timeout_seconds, as rank 0 found") == 0);
}

TEST_CASE("if all ranks timed out without a name, a long silent rank or the one furthest behind returned too late") {
    auto conditions = alive(2);
    end(conditions[0], false, 10, 1, "rank 0: a rank did not take part in all-reduce");
    end(conditions[1], false, 10, 2, "rank 1: a rank did not take part in all-reduce");
    CHECK(judge(conditions, {}, true)->firstFailedRank == 0);
    CHECK(judge(conditions, {}, true)->code == ExitCode::kCommunicationFailed);
    conditions[1].longestSilence = 3.1;
    CHECK(judge(conditions, {}, true)->firstFailedRank == 1);
    CHECK(judge(conditions, {}, true)->code == ExitCode::kRankHung);
    conditions[0].longestSilence = 3.0;  // both ranks were silent for as long, so neither is named
    CHECK(judge(conditions, {}, true)->code == ExitCode::kCommunicationFailed);
    for (RankCondition& condition : conditions) condition.beat.step = 4;
    conditions[0].beat.collective = 9;
    conditions[1].beat.collective = 8;
    CHECK(judge(conditions, {}, true)->firstFailedRank == 1);
    CHECK(judge(conditions, {}, true)->code == ExitCode::kRankHung);
}

TEST_CASE("a rank with a closed control channel is the cause, not evidence against other ranks") {
    auto conditions = alive(2);
    end(conditions[0], false, 10, 1, "rank 0: a rank did not take part in all-reduce");
    end(conditions[1], false, 10, 2, std::string("rank 1: ") + kControlCut);
    const auto verdict = judge(conditions, {}, true);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find("the control channel to the supervisor was closed") != std::string::npos);
}

TEST_CASE("the verdict on a killed rank names the cause as far as it is known") {
    auto conditions = alive(1);
    end(conditions[0], true, SIGKILL, 1);
    CHECK(judge(conditions, {}, false)->text.find("it was killed by a user, or by the kernel") != std::string::npos);
    conditions[0].memoryKill = true;
    CHECK(judge(conditions, {}, false)->text.find("; the kernel's out-of-memory killer ended it") != std::string::npos);
    conditions[0].memoryKill = false;
    CHECK(judge(conditions, {}, false)->text.find("not by the kernel's out-of-memory killer") != std::string::npos);
    end(conditions[0], true, SIGBUS, 1);
    CHECK(judge(conditions, {}, false)->text.find("/dev/shm, the memory limit or the disk is full") !=
          std::string::npos);
    end(conditions[0], true, SIGXFSZ, 1);
    CHECK(judge(conditions, {}, false)->text.find("ulimit -f") != std::string::npos);
}

TEST_CASE("a save may take ten times as long as a step, and the delaying rank is named") {
    const SilenceLimits limits{10, 30, 5};
    auto conditions = alive(2);
    for (RankCondition& condition : conditions) condition.savingSeconds = 50;
    conditions[0].beat.collective = conditions[1].beat.collective = 8;
    CHECK_FALSE(judge(conditions, limits, false));
    for (RankCondition& condition : conditions) condition.savingSeconds = 50.1;
    REQUIRE(judge(conditions, limits, false));
    CHECK(judge(conditions, limits, false)->firstFailedRank == 0);
    conditions[0].beat.collective = 9;  // rank 0 has saved and waits for rank 1
    const auto verdict = judge(conditions, limits, false);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find(
              "rank 1 hung while the run was saved: heartbeats arrive, but nothing was written for 50.1 s") == 0);
}

TEST_CASE("a rank that continues long after another has finished counts as hung") {
    const SilenceLimits limits{10, 30, 5};
    auto conditions = alive(2);
    end(conditions[0], false, 0, 1);
    conditions[0].endedSeconds = 5;
    CHECK_FALSE(judge(conditions, limits, false));
    conditions[0].endedSeconds = 5.1;
    const auto verdict = judge(conditions, limits, false);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
}

TEST_CASE("a rank that exited with 0 without reporting its end is the cause") {
    auto conditions = alive(2);
    end(conditions[1], false, 0, 1);
    conditions[1].reportedStage = RankStage::kTraining;
    end(conditions[0], false, 10, 2, "rank 0: this rank waited for a key until its deadline");
    const auto verdict = judge(conditions, {}, false);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankDied);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text == "rank 1 exited with code 0 without reporting that it had finished");
}

TEST_CASE("ranks that name each other could not reach each other, and none counts as hung") {
    auto conditions = alive(3);
    end(conditions[0], false, 10, 1, "rank 0: rank 1 did not connect within 3 s", 1);
    end(conditions[1], false, 10, 2, "rank 1: rank 0 did not connect within 3 s", 0);
    end(conditions[2], false, 10, 3, "rank 2: rank 0 did not connect within 3 s", 0);
    const auto verdict = judge(conditions, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->text == "rank 0 exited with code 10: rank 1 did not connect within 3 s");
}

namespace {

std::string misbehaviour(int own, int rank) {
    return "rank " + std::to_string(own) + ": " +
           misbehaviourText(rank, "it sent gradients that are not finite numbers");
}

// Ranks of a classroom: rank 0 on this computer, the others on computers of guests.
std::vector<RankCondition> lesson(int count) {
    auto conditions = alive(count);
    for (std::size_t rank = 1; rank < conditions.size(); ++rank) conditions[rank].host = "guest" + std::to_string(rank);
    return conditions;
}

}  // namespace

TEST_CASE("a guest that sends garbage is named as the cause, not rank 0 or the learning rate") {
    auto conditions = lesson(3);
    end(conditions[1], false, 2, 1,
        "rank 1: the loss of rank 1 is not a number at step 9: lower optimizer.lr (now 0.1)");
    CHECK_FALSE(judge(conditions, {}, false));  // no verdict yet, because another rank may report the cause soon
    end(conditions[0], false, 10, 2, misbehaviour(0, 2), 2);
    CHECK_FALSE(judge(conditions, {}, false));
    const auto verdict = judge(conditions, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 2);
    CHECK(verdict->isMisuse);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->text ==
          "rank 2 on guest2 violates the protocol of the run: it sent gradients that are not finite numbers");
}

TEST_CASE("reports of rank 0 have precedence over a guest's, and two reports over one") {
    auto conditions = lesson(4);
    end(conditions[3], false, 10, 1, misbehaviour(3, 0), 0);
    end(conditions[0], false, 10, 2, misbehaviour(0, 3), 3);
    CHECK(judge(conditions, {}, true)->firstFailedRank == 3);
    end(conditions[1], false, 10, 3, misbehaviour(1, 2), 2);
    end(conditions[2], false, 10, 4, misbehaviour(2, 3), 3);
    CHECK(judge(conditions, {}, true)->firstFailedRank == 3);
}

TEST_CASE("a diverged training ends with the message of rank 0, even if a guest ended first") {
    auto conditions = lesson(3);
    end(conditions[2], false, 2, 1, "rank 2: the loss of rank 2 is infinite at step 9: lower optimizer.lr (now 9)");
    end(conditions[0], false, 2, 2, "rank 0: the loss of rank 0 is infinite at step 9: lower optimizer.lr (now 9)");
    const auto verdict = judge(conditions, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 0);
    CHECK_FALSE(verdict->isMisuse);
}

TEST_CASE("on one computer a rank that refuses its data is named at once") {
    auto conditions = alive(2);
    end(conditions[1], false, 2, 1, "rank 1: the loss of rank 1 is infinite at step 9: lower optimizer.lr (now 9)");
    REQUIRE(judge(conditions, {}, false));
    CHECK(judge(conditions, {}, false)->firstFailedRank == 1);
}
