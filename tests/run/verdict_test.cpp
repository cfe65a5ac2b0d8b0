// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/verdict.h"

#include <csignal>

#include "launch/place/last_words.h"
#include "support/catch.h"

using namespace ringside;

namespace {

std::vector<RankFate> alive(int count) {
    std::vector<RankFate> fates(static_cast<std::size_t>(count));
    for (int rank = 0; rank < count; ++rank) {
        fates[static_cast<std::size_t>(rank)].rank = rank;
        fates[static_cast<std::size_t>(rank)].everHeard = true;
    }
    return fates;
}

void end(RankFate& fate, bool signalled, int code, int order, const std::string& line = {}, int missing = -1) {
    fate.end = ChildEnd{signalled, code};
    fate.endOrder = order;
    fate.missingRank = missing;
    if (!line.empty()) fate.lastLines = {line};
    if (!signalled && (code == 0 || code == 20)) fate.said = code == 0 ? "finished" : "stopped";
}

}  // namespace

TEST_CASE("living ranks and ranks that finished need no verdict") {
    auto fates = alive(3);
    end(fates[1], false, 0, 1);
    end(fates[2], false, 20, 2);
    CHECK_FALSE(judge(fates, {}, true));
}

TEST_CASE("the rank that died first is named, not the loudest") {
    auto fates = alive(3);
    end(fates[0], false, 3, 2, "rank 0: late");
    end(fates[2], true, SIGSEGV, 1);
    const auto verdict = judge(fates, {}, false);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 2);
    CHECK(verdict->code == ExitCode::kRankDied);
    CHECK(verdict->text == "rank 2 was killed by signal 11 (SIGSEGV)");
}

TEST_CASE("a rank that only gave up on a peer is not blamed for the peer's death") {
    auto fates = alive(3);
    end(fates[0], false, 10, 1, "rank 0: rank 1 did not reach collective 3 (barrier) within 1 s", 1);
    CHECK_FALSE(judge(fates, {}, false));
    end(fates[1], true, SIGKILL, 2);
    const auto verdict = judge(fates, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->code == ExitCode::kRankDied);
}

TEST_CASE("a living rank that others miss is hung once the matter has settled") {
    auto fates = alive(3);
    fates[1].place = "at step 9 of epoch 0";
    end(fates[2], false, 10, 1, "rank 2: communication was aborted");
    end(fates[0], false, 10, 2, "rank 0: rank 1 did not reach collective 3 (barrier) within 1 s", 1);
    CHECK_FALSE(judge(fates, {}, false));
    const auto verdict = judge(fates, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find("rank 1 hung at step 9 of epoch 0, as rank 0 found") == 0);
}

TEST_CASE("a missed rank that had left early died, though its exit code was 0") {
    auto fates = alive(2);
    end(fates[1], false, 0, 1);
    end(fates[0], false, 10, 2, "rank 0: rank 1 did not reach collective 3 (barrier) within 1 s", 1);
    const auto verdict = judge(fates, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankDied);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find("while the others still trained") != std::string::npos);
}

TEST_CASE("communication that fails without a missing rank is reported as such, whatever the text names") {
    auto fates = alive(2);
    end(fates[0], false, 10, 1, "rank 0: rank 1 did not hold what was expected");
    const auto verdict = judge(fates, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->firstFailedRank == 0);
    CHECK(verdict->text == "rank 0 exited with code 10: rank 1 did not hold what was expected");
}

TEST_CASE("communication that fails without a name is blamed on a stopped or silent rank") {
    auto fates = alive(3);
    end(fates[2], false, 10, 1, "rank 2: no rank wrote it");
    fates[1].silentSeconds = 1.9;
    CHECK(judge(fates, {10, 30, 5}, true)->firstFailedRank == 2);
    fates[1].silentSeconds = 2.1;
    const auto verdict = judge(fates, {10, 30, 5}, true);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text == "rank 1 hung, as rank 2 found: no rank wrote it");
    fates[1].silentSeconds = 0;
    fates[1].processStopped = true;
    CHECK(judge(fates, {10, 30, 5}, true)->text.find("rank 1 hung (its process is stopped), as rank 2 found") == 0);
}

TEST_CASE("silence counts only beyond its limit, and before the first word by the start limit") {
    const SilenceLimits limits{10, 3};
    auto fates = alive(2);
    fates[1].silentSeconds = 2.9;
    CHECK_FALSE(judge(fates, limits, false));
    fates[1].silentSeconds = 3.1;
    REQUIRE(judge(fates, limits, false));
    CHECK(judge(fates, limits, false)->code == ExitCode::kRankHung);
    fates[1].everHeard = false;
    CHECK_FALSE(judge(fates, limits, false));
    fates[1].silentSeconds = 10.1;
    CHECK(judge(fates, limits, false)->text ==
          "rank 1 said nothing within 10.0 s of its start; if this computer is busy, end other programs, lower "
          "parallel.world_size or raise parallel.timeout_seconds");
}

TEST_CASE("of ranks that stand still the one furthest behind is judged, after its patience") {
    const SilenceLimits limits{10, 30, 5};
    auto fates = alive(3);
    for (RankFate& fate : fates) {
        fate.beat.step = 7;
        fate.beat.collective = 15;
        fate.beat.phase = Phase::kWaiting;
        fate.stillSeconds = 6;
        fate.place = "at step 7 of epoch 0";
    }
    fates[1].beat.collective = 14;
    fates[1].beat.phase = Phase::kBackward;
    const auto verdict = judge(fates, limits, false);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find("rank 1 hung in backward at step 7 of epoch 0: alive, but nothing moved for 6.0 s") == 0);

    fates[1].stillSeconds = 0;  // it reads data: the others only wait for it
    CHECK_FALSE(judge(fates, limits, false));
    fates[1].stillSeconds = 6;
    fates[1].longestSeconds = 1;  // its steps take their time: 8 s are nothing unusual
    CHECK_FALSE(judge(fates, limits, false));
    fates[1].stillSeconds = 8.1;
    CHECK(judge(fates, limits, false));
}

TEST_CASE("a first step may take ten times as long, because nobody knows yet how long steps are") {
    const SilenceLimits limits{10, 30, 5};
    auto fates = alive(1);
    fates[0].beat.phase = Phase::kForward;
    fates[0].place = "in forward before its first step";
    fates[0].stillSeconds = 49;
    CHECK_FALSE(judge(fates, limits, false));
    fates[0].stillSeconds = 51;
    REQUIRE(judge(fates, limits, false));
    CHECK(judge(fates, limits, false)->text.find("rank 0 hung in forward before its first step: alive") == 0);
}

TEST_CASE("the exit codes for configuration, device and our own fault become the run's") {
    for (const int code : {2, 11, 70}) {
        auto fates = alive(1);
        end(fates[0], false, code, 1, "x");
        CHECK(static_cast<int>(judge(fates, {}, false)->code) == code);
    }
}

TEST_CASE("where all gave up, the rank that a witness names came back too late") {
    auto fates = alive(3);
    end(fates[0], false, 10, 1, "rank 0: rank 1 did not reach collective 3 (barrier) within 3 s: see its log");
    end(fates[1], false, 10, 2, "rank 1: rank 1 did not answer another rank in time, so communication ended");
    end(fates[2], false, 10, 3, "rank 2: rank 1 did not answer another rank in time, so communication ended");
    for (RankFate& fate : fates) fate.missingRank = 1;
    const auto verdict = judge(fates, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(
        verdict->text.find("rank 1 hung: it was away for longer than parallel.timeout_seconds and came back too late, "
                           "as rank 0 found") == 0);
}

TEST_CASE("where all gave up without a name, who was silent for long or furthest behind came back too late") {
    auto fates = alive(2);
    end(fates[0], false, 10, 1, "rank 0: a rank did not take part in all-reduce");
    end(fates[1], false, 10, 2, "rank 1: a rank did not take part in all-reduce");
    CHECK(judge(fates, {}, true)->firstFailedRank == 0);
    CHECK(judge(fates, {}, true)->code == ExitCode::kCommunicationFailed);
    fates[1].longestSilence = 3.1;
    CHECK(judge(fates, {}, true)->firstFailedRank == 1);
    CHECK(judge(fates, {}, true)->code == ExitCode::kRankHung);
    fates[0].longestSilence = 3.0;  // all were frozen: no rank is named
    CHECK(judge(fates, {}, true)->code == ExitCode::kCommunicationFailed);
    for (RankFate& fate : fates) fate.beat.step = 4;
    fates[0].beat.collective = 9;
    fates[1].beat.collective = 8;
    CHECK(judge(fates, {}, true)->firstFailedRank == 1);
    CHECK(judge(fates, {}, true)->code == ExitCode::kRankHung);
}

TEST_CASE("a rank whose control channel was cut is the cause, not a witness") {
    auto fates = alive(2);
    end(fates[0], false, 10, 1, "rank 0: a rank did not take part in all-reduce");
    end(fates[1], false, 10, 2, std::string("rank 1: ") + kControlCut);
    const auto verdict = judge(fates, {}, true);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find("its control channel was cut") != std::string::npos);
}

TEST_CASE("a killed rank says who killed it, as far as anybody knows") {
    auto fates = alive(1);
    end(fates[0], true, SIGKILL, 1);
    CHECK(judge(fates, {}, false)->text.find("somebody killed it, or the kernel did") != std::string::npos);
    fates[0].memoryKill = true;
    CHECK(judge(fates, {}, false)->text.find("memory ran out, and the kernel's out-of-memory killer") !=
          std::string::npos);
    fates[0].memoryKill = false;
    CHECK(judge(fates, {}, false)->text.find("the kernel's out-of-memory killer did not") != std::string::npos);
    end(fates[0], true, SIGBUS, 1);
    CHECK(judge(fates, {}, false)->text.find("/dev/shm, the memory limit or the disk is full") != std::string::npos);
    end(fates[0], true, SIGXFSZ, 1);
    CHECK(judge(fates, {}, false)->text.find("ulimit -f") != std::string::npos);
}

TEST_CASE("a save is waited for ten times as long as a step, and who holds it up is named") {
    const SilenceLimits limits{10, 30, 5};
    auto fates = alive(2);
    for (RankFate& fate : fates) fate.savingSeconds = 50;
    fates[0].beat.collective = fates[1].beat.collective = 8;
    CHECK_FALSE(judge(fates, limits, false));
    for (RankFate& fate : fates) fate.savingSeconds = 50.1;
    REQUIRE(judge(fates, limits, false));
    CHECK(judge(fates, limits, false)->firstFailedRank == 0);
    fates[0].beat.collective = 9;  // it has saved, and waits for the other
    const auto verdict = judge(fates, limits, false);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text.find("rank 1 hung while the run was saved: alive, but nothing was written for 50.1 s") == 0);
}

TEST_CASE("a rank that goes on long after another has ended well has hung") {
    const SilenceLimits limits{10, 30, 5};
    auto fates = alive(2);
    end(fates[0], false, 0, 1);
    fates[0].endedSeconds = 5;
    CHECK_FALSE(judge(fates, limits, false));
    fates[0].endedSeconds = 5.1;
    const auto verdict = judge(fates, limits, false);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 1);
}

TEST_CASE("a rank that left with a good code and without a word is the cause") {
    auto fates = alive(2);
    end(fates[1], false, 0, 1);
    fates[1].said = "training";
    end(fates[0], false, 10, 2, "rank 0: this rank waited for a key until its deadline");
    const auto verdict = judge(fates, {}, false);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankDied);
    CHECK(verdict->firstFailedRank == 1);
    CHECK(verdict->text == "rank 1 exited with code 0 and never said that it had finished");
}

TEST_CASE("ranks that name each other could not reach each other, and none has hung") {
    auto fates = alive(3);
    end(fates[0], false, 10, 1, "rank 0: rank 1 did not connect within 3 s", 1);
    end(fates[1], false, 10, 2, "rank 1: rank 0 did not connect within 3 s", 0);
    end(fates[2], false, 10, 3, "rank 2: rank 0 did not connect within 3 s", 0);
    const auto verdict = judge(fates, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->text == "rank 0 exited with code 10: rank 1 did not connect within 3 s");
}

namespace {

std::string misbehaviour(int own, int rank) {
    return "rank " + std::to_string(own) + ": " +
           misbehaviourText(rank, "it sent gradients that are not finite numbers");
}

// Rank 0 here, the others on computers of a class.
std::vector<RankFate> lesson(int count) {
    auto fates = alive(count);
    for (std::size_t rank = 1; rank < fates.size(); ++rank) fates[rank].host = "guest" + std::to_string(rank);
    return fates;
}

}  // namespace

TEST_CASE("a guest that sends garbage is named, and neither rank 0 nor the learning rate is blamed") {
    auto fates = lesson(3);
    end(fates[1], false, 2, 1, "rank 1: the loss of rank 1 is not a number at step 9: lower optimizer.lr (now 0.1)");
    CHECK_FALSE(judge(fates, {}, false));  // another rank may know better in a moment
    end(fates[0], false, 10, 2, misbehaviour(0, 2), 2);
    CHECK_FALSE(judge(fates, {}, false));
    const auto verdict = judge(fates, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 2);
    CHECK(verdict->isMisuse);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->text ==
          "rank 2 on guest2 breaks the rules of the run: it sent gradients that are not finite numbers");
}

TEST_CASE("a guest that accuses rank 0 is believed less than rank 0, and two witnesses more than one") {
    auto fates = lesson(4);
    end(fates[3], false, 10, 1, misbehaviour(3, 0), 0);
    end(fates[0], false, 10, 2, misbehaviour(0, 3), 3);
    CHECK(judge(fates, {}, true)->firstFailedRank == 3);
    end(fates[1], false, 10, 3, misbehaviour(1, 2), 2);
    end(fates[2], false, 10, 4, misbehaviour(2, 3), 3);
    CHECK(judge(fates, {}, true)->firstFailedRank == 3);
}

TEST_CASE("a training that has diverged ends with the words of rank 0, also where a guest ended first") {
    auto fates = lesson(3);
    end(fates[2], false, 2, 1, "rank 2: the loss of rank 2 is infinite at step 9: lower optimizer.lr (now 9)");
    end(fates[0], false, 2, 2, "rank 0: the loss of rank 0 is infinite at step 9: lower optimizer.lr (now 9)");
    const auto verdict = judge(fates, {}, true);
    REQUIRE(verdict);
    CHECK(verdict->firstFailedRank == 0);
    CHECK_FALSE(verdict->isMisuse);
}

TEST_CASE("on one computer a rank that refuses its data is named at once") {
    auto fates = alive(2);
    end(fates[1], false, 2, 1, "rank 1: the loss of rank 1 is infinite at step 9: lower optimizer.lr (now 9)");
    REQUIRE(judge(fates, {}, false));
    CHECK(judge(fates, {}, false)->firstFailedRank == 1);
}
