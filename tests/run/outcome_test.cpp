// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/outcome.h"

#include <csignal>
#include <fstream>

#include "base/json/json.h"
#include "base/system/files.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

RankReport left(int rank, int code, RankStage reportedStage, int order = 1) {
    return {rank, ChildEnd{false, code}, order, reportedStage};
}

RankReport killed(int rank, int signal, RankStage reportedStage) {
    return {rank, ChildEnd{true, signal}, 1, reportedStage};
}

// Writes a checkpoint of a run with four steps per epoch. The manifest expects seven bytes of weights.
void writeCheckpointAt(const fs::path& run, std::int64_t step, const std::string& weights = "weights") {
    const fs::path directory = run / "checkpoints" / ("step-" + std::to_string(100'000'000 + step).replace(0, 1, ""));
    fs::create_directories(directory);
    CheckpointManifest manifest;
    manifest.step = step;
    manifest.epochsDone = step / 4;
    manifest.files = {{kWeightsName, 7, ""}};
    std::ofstream(directory / kWeightsName) << weights;
    writeFileAtomically(directory / kManifestName, manifest.toJson().dump());
}

// Returns the evidence of a complete run: two ranks, two epochs of four steps.
RunEvidence wholeRun() {
    RunEvidence run;
    run.ranks = {left(0, 0, RankStage::kFinished), left(1, 0, RankStage::kFinished)};
    run.steps = run.plannedSteps = 8;
    run.plannedEpochs = 2;
    run.checkpoint = StoredCheckpoint{"checkpoints/step-00000008", 8, 2};
    return run;
}

// Returns the evidence of the same run, stopped after step 3.
RunEvidence stoppedRun() {
    RunEvidence run = wholeRun();
    run.ranks = {left(0, 20, RankStage::kStopped), left(1, 20, RankStage::kStopped)};
    run.steps = 3;
    run.checkpoint = StoredCheckpoint{"checkpoints/step-00000003", 3, 0};
    run.stopRequested = true;
    return run;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

void checkFailed(const RunEvidence& run, int code, int rank, const std::string& part) {
    const RunEnded end = outcomeOf(run);
    INFO(end.verdict);
    CHECK(end.state == RunOutcome::kFailed);
    CHECK(end.exitCode == code);
    CHECK(end.firstFailedRank == rank);
    CHECK(contains(end.verdict, part));
}

}  // namespace

TEST_CASE("a run has finished if every rank reported it, exited with 0 and the last checkpoint exists") {
    const RunEnded end = outcomeOf(wholeRun());
    CHECK(end.state == RunOutcome::kFinished);
    CHECK(end.exitCode == 0);
    CHECK(end.firstFailedRank == -1);
    CHECK(end.verdict == "finished 2 epochs in 8 steps");
    RunEvidence late = wholeRun();
    RunEvidence hasLeft = wholeRun();
    hasLeft.ranks[1].end = ChildEnd{false, 20, false, true};  // its user ended it after it had reported "finished"
    CHECK(outcomeOf(hasLeft).state == RunOutcome::kFinished);
    late.stopRequested = true;  // the stop request came after the last step
    CHECK(outcomeOf(late).state == RunOutcome::kFinished);
}

TEST_CASE("a run with any of these parts missing has failed") {
    RunEvidence run = wholeRun();
    SECTION("a rank that timed out") {
        run.ranks[1] = left(1, 10, RankStage::kTraining);
        checkFailed(run, 12, 1, "rank 1 exited with code 10 while it was training, without reporting that it had");
    }
    SECTION("all ranks timed out") {
        run.ranks = {left(0, 10, RankStage::kTraining, 2), left(1, 10, RankStage::kTraining, 1)};
        checkFailed(run, 12, 1, "rank 1 exited with code 10");
    }
    SECTION("a rank that exited with 0 without reporting its end") {
        run.ranks[0] = left(0, 0, RankStage::kTraining);
        checkFailed(run, 12, 0, "rank 0 exited with code 0 while it was training");
    }
    SECTION("a rank that reported its end and then died") {
        run.ranks[0] = killed(0, SIGSEGV, RankStage::kFinished);
        checkFailed(run, 12, 0, "was killed by signal 11 (SIGSEGV)");
    }
    SECTION("a rank that stopped while another finished") {
        run.ranks[0] = left(0, 20, RankStage::kStopped);
        checkFailed(run, 70, -1, "did not agree on the end of the run");
    }
    SECTION("a rank that is still alive") {
        run.ranks[1].end.reset();
        checkFailed(run, 12, 1, "rank 1 did not end");
    }
    SECTION("no checkpoint") {
        run.checkpoint.reset();
        checkFailed(run, 2, -1, "holds no complete checkpoint");
    }
    SECTION("the checkpoint of an earlier step") {
        run.checkpoint = StoredCheckpoint{"checkpoints/step-00000004", 4, 1};
        checkFailed(run, 70, -1, "is of epoch 1 and step 4, not of epoch 2 and step 8");
    }
    SECTION("one epoch less") {
        run.checkpoint->epochsDone = 1;
        checkFailed(run, 70, -1, "is of epoch 1");
    }
    SECTION("no rank at all") {
        run.ranks.clear();
        CHECK(outcomeOf(run).state == RunOutcome::kFailed);
    }
    SECTION("a detected fault") {
        run.fault = Verdict{ExitCode::kRankHung, 1, "rank 1 hung"};
        checkFailed(run, 13, 1, "rank 1 hung");
    }
    SECTION("a lost run directory") {
        run.directoryLost = "the run directory /r was deleted";
        checkFailed(run, 2, -1, "/r was deleted; the weights after step 8 were saved again, in checkpoints/step-");
    }
}

TEST_CASE("a run has stopped if every rank reported it and the weights of its last step exist") {
    const RunEnded end = outcomeOf(stoppedRun());
    CHECK(end.state == RunOutcome::kStopped);
    CHECK(end.exitCode == 20);
    CHECK(end.verdict == "stopped by request after 3 of 8 steps");

    RunEvidence unsaved = stoppedRun();
    unsaved.checkpoint.reset();
    checkFailed(unsaved, 2, -1, "its weights are not in the run directory; no checkpoint was written");
    unsaved.checkpoint = StoredCheckpoint{"checkpoints/step-00000002", 2, 0};
    checkFailed(unsaved, 2, -1, "; the last checkpoint is checkpoints/step-00000002");

    RunEvidence killedOne = stoppedRun();
    killedOne.ranks[1] = killed(1, SIGKILL, RankStage::kSaving);
    checkFailed(killedOne, 12, 1, "while it was saving");
}

TEST_CASE("the verdict on terminated ranks names what is lost") {
    RunEvidence run = stoppedRun();
    run.ranks = {killed(0, SIGTERM, RankStage::kTraining), killed(1, SIGTERM, RankStage::kTraining)};
    run.cutShort = true;
    run.steps = 5;
    const RunEnded end = outcomeOf(run);
    CHECK(end.state == RunOutcome::kStopped);
    CHECK(end.exitCode == 20);
    CHECK(end.verdict ==
          "stopped by request after 5 of 8 steps; the ranks had to be terminated, the last weights were not saved; the "
          "last checkpoint is checkpoints/step-00000003");
    run.cutShort = false;
    run.nothingTrained = true;
    run.steps = 0;
    CHECK(outcomeOf(run).verdict == "stopped by request after 0 of 8 steps");
}

TEST_CASE("only a checkpoint with all files at full length counts") {
    const TemporaryDirectory run;
    CHECK_FALSE(newestCheckpoint(run.path()));
    writeCheckpointAt(run.path(), 4);
    writeCheckpointAt(run.path(), 8, "weigh");
    REQUIRE(newestCheckpoint(run.path()));
    CHECK(newestCheckpoint(run.path())->step == 4);
    CHECK(newestCheckpoint(run.path())->epochsDone == 1);
    CHECK(newestCheckpoint(run.path())->path == "checkpoints/step-00000004");
    writeCheckpointAt(run.path(), 8);
    CHECK(newestCheckpoint(run.path())->step == 8);
    fs::remove(run.path() / "checkpoints/step-00000008" / kWeightsName);
    CHECK(newestCheckpoint(run.path())->step == 4);
}

TEST_CASE("a run that lost its directory at its end has failed") {
    RunEvidence run = wholeRun();
    run.directoryLost = "the run directory /r was deleted";
    run.checkpoint.reset();
    checkFailed(run, 2, -1, "/r was deleted; the checkpoints of the run were deleted with it");
    run.checkpoint = StoredCheckpoint{"checkpoints/step-00000004", 4, 1};
    checkFailed(run, 2, -1, "/r was deleted; the last checkpoint is checkpoints/step-00000004");
}

TEST_CASE("a run resumes from the newest recorded checkpoint that has the results of its epoch") {
    const TemporaryDirectory run;
    for (const std::int64_t step : {4, 8, 12}) writeCheckpointAt(run.path(), step);
    const auto from = [&](std::int64_t steps, std::int64_t epochs) {
        const auto found = newestUsableCheckpoint(run.path(), {steps, epochs}, 1);
        return found ? found->step : -1;
    };
    CHECK(from(12, 3) == 12);
    CHECK(from(12, 2) == 8);  // the checkpoint of step 12 would lack the results of the third epoch
    // The results of the third epoch are missing for good, because the run is already beyond it.
    CHECK(from(13, 2) == 12);
    CHECK(from(11, 2) == 8);
    CHECK(from(8, 2) == 8);  // the run was resumed from step 8 and has made no step since, so nothing is lost
    CHECK(from(8, 1) == 4);
    CHECK(from(4, 0) == 4);  // the results of an epoch may be lost, but not its steps
    CHECK(from(3, 0) == 12);
}

TEST_CASE("the record of a run ends with its last steps and epoch results") {
    const TemporaryDirectory run;
    const RunPaths paths(run.path());
    CHECK(readRecordedProgress(paths).steps == 0);
    const std::string train = R"({"kind":"epoch","epoch":0,"split":"train","loss":1})"
                              "\n";
    const std::string val = R"({"kind":"epoch","epoch":0,"split":"val","loss":1})"
                            "\n";
    const std::string later = R"({"kind":"epoch","epoch":1,"split":"train","loss":1})"
                              "\n";
    const std::string steps = R"({"kind":"step","step":1})"
                              "\n"
                              R"({"kind":"step","step":2})"
                              "\n";
    writeFileAtomically(paths.metrics(), steps + R"({"kind":"step","step":3)");
    CHECK(readRecordedProgress(paths).steps == 2);  // the last line is incomplete
    CHECK(readRecordedProgress(paths).epochs == 0);
    writeFileAtomically(paths.metrics(), steps + train + val + later);
    CHECK(readRecordedProgress(paths).epochs == 1);
    writeFileAtomically(paths.metrics(), steps + train + later);
    CHECK(readRecordedProgress(paths).epochs == 2);  // a run that does not validate
}

TEST_CASE("the verdict on a run killed by its launcher names what is saved") {
    RunEvidence run = stoppedRun();
    run.ranks[0].end.reset();
    run.checkpoint = StoredCheckpoint{"checkpoints/step-00000003", 3, 0};
    CHECK(outcomeIfKilledNow(run).verdict ==
          "stopped by request after 3 of 8 steps; the weights are saved in checkpoints/step-00000003");
    run.steps = 5;
    CHECK(
        outcomeIfKilledNow(run).verdict ==
        "stopped by request after 5 of 8 steps; the launcher ended the run before the last steps were saved; the last "
        "checkpoint is checkpoints/step-00000003");
    CHECK(outcomeIfKilledNow(run).exitCode == 20);
}
