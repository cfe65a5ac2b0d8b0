// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/rank_watch.h"

#include <memory>

#include "base/errors/errors.h"
#include "base/system/files.h"
#include "fake_ranks.h"
#include "support/catch.h"

using namespace ringside;
using namespace std::chrono_literals;

namespace {

// A run with only rank 0, which has sent a heartbeat just now and has made no progress for an hour.
struct Watched {
    FakeRun run{""};
    RunPaths paths = run.paths();
    RunJournal journal{paths, run.prepared, 0};
    RankWatch::Ranks ranks;
    RankWatch watch{paths, run.prepared, run.options, ranks, journal};

    explicit Watched(Phase phase) {
        Heartbeat beat;
        beat.step = 3;
        beat.phase = phase;
        const TimePoint now = std::chrono::steady_clock::now();
        ranks.push_back(std::make_unique<RemoteFake>(0));
        ranks[0]->recordArrival(now);
        ranks[0]->movement.update(beat, now - 1h);
        watch.begin();
        watch.started();
    }
    void write(const std::string& name, std::size_t bytes) const {
        const std::filesystem::path checkpoint = paths.directory / "checkpoints" / "step-00000003";
        std::filesystem::create_directories(checkpoint);
        writeFileAtomically(checkpoint / name, std::string(bytes, 'w'));
    }
};

}  // namespace

TEST_CASE("a rank that writes its checkpoint makes progress as long as the files grow") {
    Watched one(Phase::kCheckpoint);
    one.write("model.safetensors", 100);
    one.watch.tick();
    CHECK_FALSE(one.watch.judge());
    CHECK(one.watch.conditions()[0].savingSeconds < 60);
}

TEST_CASE("a rank whose checkpoint does not grow hangs") {
    Watched one(Phase::kCheckpoint);
    one.watch.tick();
    const std::optional<Verdict> verdict = one.watch.judge();
    REQUIRE(verdict);
    CHECK(verdict->code == ExitCode::kRankHung);
    CHECK(verdict->firstFailedRank == 0);
    CHECK(contains(verdict->text, "rank 0 on node2 hung while the run was saved"));
    CHECK(contains(verdict->text, "nothing was written for 3600"));
}

TEST_CASE("growing checkpoint files do not count as progress of a rank that does not save") {
    Watched one(Phase::kForward);
    one.write("model.safetensors", 100);
    one.watch.tick();
    const std::optional<Verdict> verdict = one.watch.judge();
    REQUIRE(verdict);
    CHECK(contains(verdict->text, "no progress for 3600"));
}

TEST_CASE("a rank on another host may send 15 invalid lines, and the 16th is the verdict") {
    Watched one(Phase::kIdle);
    for (int line = 1; line <= 15; ++line) one.watch.reportMisuse(*one.ranks[0], "it sends noise", false);
    CHECK_FALSE(one.watch.judge());
    one.watch.reportMisuse(*one.ranks[0], "it sends noise", false);
    const std::optional<Verdict> verdict = one.watch.judge();
    REQUIRE(verdict);
    CHECK(verdict->isMisuse);
    CHECK(verdict->code == ExitCode::kCommunicationFailed);
    CHECK(verdict->firstFailedRank == 0);
    CHECK(verdict->text == "rank 0 on node2 violates the protocol of the run: it sends noise");
}

TEST_CASE("a proven misuse of the protocol is the verdict at once") {
    Watched one(Phase::kIdle);
    one.watch.reportMisuse(*one.ranks[0], "it deletes keys of other ranks", true);
    REQUIRE(one.watch.judge());
    CHECK(contains(one.watch.judge()->text, "it deletes keys of other ranks"));
}
