// SPDX-License-Identifier: Apache-2.0
#include "watch/seen/seen_experiment.h"

#include <cmath>

#include "support/catch.h"
#include "watch/run/watch_verdict.h"
#include "watch/seen/epoch_results.h"

using namespace ringside;

namespace {

// Facts as PyTorch 2.15 has reported them for a script under torchrun.
const ScriptFacts kProcess{
    1, "process",
    R"({"world_size":2,"distributed":true,"script":"train.py","launcher":"torchrun","torch":"2.15.0+cpu"})", 0};
const ScriptFacts kGroup{1, "process_group_created", R"({"backend":"gloo","rank":1,"where":"train.py:35"})", 0};
const ScriptFacts kParallel{1, "data_parallel", R"({"kind":"ddp","devices":["cuda:1"]})", 0};
const ScriptFacts kTraining{
    1, "loader",
    R"({"id":1,"batch_size":8,"drop_last":false,"num_workers":2,"prefetch_factor":4,"persistent_workers":true,)"
    R"("sampler":{"class":"torch.utils.data.sampler.BatchSampler","inner":{"class":)"
    R"("torch.utils.data.distributed.DistributedSampler","num_samples":52,"seed":5,"shuffle":true,"drop_last":false}},)"
    R"("dataset":{"class":"D","length":103}})",
    0};
const ScriptFacts kValidation{1, "loader", R"({"id":0,"batch_size":10,"dataset":{"length":20}})", 0};
const ScriptFacts kValidated{1, "pass_end", R"({"loader":0,"trained":0,"untrained":2})", 0};
const ScriptFacts kOptimizer{1, "optimizer", R"({"class":"torch.optim.adamw.AdamW","groups":[{"lr":0.05}]})", 0};
const ScriptFacts kCounts{1, "step_counts", R"({"batches":[1],"backwards":2,"losses":["train.py:9"],"optimizers":[0]})",
                          0};

StepsFrame steps(int rank, std::int64_t epoch, std::int64_t first, std::vector<double> losses, std::int64_t samples) {
    StepsFrame frame;
    frame.rank = rank;
    frame.epoch = epoch;
    for (const double loss : losses) {
        frame.step.push_back(first);
        frame.endUs.push_back(1000 * first++);
        frame.loss.push_back(loss);
        frame.samples.push_back(samples);
    }
    return frame;
}

RankState stateOf(int rank, RankStage state) {
    RankState one;
    one.rank = rank;
    one.state = state;
    return one;
}

}  // namespace

TEST_CASE("facts of a script become an experiment with external data") {
    SeenExperiment seen("train");
    CHECK(seen.worldSize() == 0);
    for (const auto& facts : {kProcess, kGroup, kParallel, kValidation, kTraining, kOptimizer}) seen.add(facts);
    CHECK(seen.worldSize() == 2);
    CHECK_FALSE(seen.isTraining());
    ConsumedIndices indices;
    indices.rank = 1;
    indices.index = {3};
    indices.loader = 1;
    seen.add(indices);
    seen.add(kCounts);
    seen.add(kValidated);
    seen.add(steps(1, 0, 1, {1, 1, 1}, 16));
    CHECK(seen.isTraining());
    const RecordedRun run = seen.recorded(false);
    const RunConfig config = seen.config();
    CHECK_FALSE(run.audit);
    CHECK(run.worldSize == 2);
    CHECK(run.batchSize == 8);
    CHECK(config.dataset.kind == DatasetKind::kExternal);
    CHECK(config.dataset.size == 103);
    CHECK(run.trainingSamples == 103);
    CHECK(run.validationSamples == 20);
    CHECK(run.stepsPerEpoch == 4);  // 7 batches of 8 hold 52 samples; 2 batches a step
    CHECK(config.parallel.worldSize == 2);
    CHECK(config.parallel.strategy == StrategyKind::kDdp);
    CHECK(config.parallel.backend == CollectiveBackend::kGloo);
    CHECK(config.parallel.device == DeviceChoice::kCuda);
    CHECK(config.loader.batchSize == 8);
    CHECK(config.loader.numWorkers == 2);
    CHECK(config.loader.prefetchFactor == 4);
    CHECK(config.sampler.seed == 5);
    CHECK(config.optimizer.kind == OptimizerKind::kAdamW);
    CHECK(config.optimizer.lr == 0.05);
    CHECK(config.training.accumulateSteps == 2);
    CHECK(config.validate().empty());
    CHECK(config.validateForTraining().front().field == "dataset.kind");
    CHECK(seen.framework()->version == "2.15.0+cpu");
    CHECK(RunConfig::fromJson(config.toJson()).value() == config);
}

TEST_CASE("the experiment file omits settings that were not observed") {
    const auto fileOf = [](const std::string& sampler, const char* optimizer) {
        SeenExperiment seen("train");
        seen.add(kProcess);
        seen.add(ScriptFacts{1, "loader", R"({"id":1,"batch_size":8,"sampler":{"class":")" + sampler + "\"}}", 0});
        seen.add(
            ScriptFacts{1, "optimizer", R"({"class":")" + std::string(optimizer) + R"(","groups":[{"lr":0.5}]})", 0});
        const RunConfig config = seen.config();
        const std::string text = seen.configText();
        CHECK(RunConfig::fromJson(Json::parse(text)).value() == config);
        return Json::parse(text);
    };
    const Json unknown = fileOf("train.MySampler", "train.Lion");
    for (const char* const section : {"sampler", "model", "pitfalls", "schedule"})
        CHECK_FALSE(unknown.contains(section));
    CHECK(unknown["optimizer"] == Json{{"lr", 0.5}});
    CHECK_FALSE(unknown["parallel"].contains("strategy"));
    CHECK(unknown["loader"]["batch_size"] == 8);
    const Json known = fileOf("torch.utils.data.sampler.RandomSampler", "torch.optim.sgd.SGD");
    CHECK(known["sampler"] == Json{{"kind", "random"}});
    CHECK(known["optimizer"] == Json{{"lr", 0.5}, {"kind", "sgd"}});
}

TEST_CASE("only several backward passes of one loss are accumulation") {
    const auto accumulated = [](const char* optimizer, const char* counts) {
        SeenExperiment seen("train");
        seen.add(kProcess);
        seen.add(ScriptFacts{1, "optimizer", R"({"class":")" + std::string(optimizer) + "\"}", 0});
        seen.add(ScriptFacts{1, "step_counts", counts, 0});
        return seen.config().training.accumulateSteps;
    };
    const char* const sgd = "torch.optim.sgd.SGD";
    CHECK(accumulated(sgd, R"({"batches":[0],"backwards":4,"losses":["t.py:9"],"optimizers":[0]})") == 4);
    CHECK(accumulated(sgd, R"({"batches":[],"backwards":4,"losses":["t.py:9"],"optimizers":[0]})") == 4);
    CHECK(accumulated(sgd, R"({"batches":[0],"backwards":1,"losses":["t.py:9"],"optimizers":[0]})") == 1);
    CHECK(accumulated(sgd, R"({"batches":[0,1],"backwards":1,"losses":["t.py:9"],"optimizers":[0]})") == 1);
    CHECK(accumulated(sgd, R"({"batches":[0],"backwards":2,"losses":["t.py:8","t.py:9"],"optimizers":[0,1]})") == 1);
    // Steps were left out before this one.
    CHECK(accumulated(sgd, R"({"backwards":2,"skipped":1,"losses":["t.py:9"],"optimizers":[0]})") == 1);
    CHECK(accumulated(sgd, R"({"backwards":3,"unused":2,"losses":["t.py:9"],"optimizers":[0]})") == 1);
    CHECK(accumulated("torch.optim.lbfgs.LBFGS",
                      R"({"batches":[0],"backwards":5,"losses":["t.py:9"],"optimizers":[0]})") == 1);
}

TEST_CASE("steps of a complete epoch are counted") {
    SeenExperiment seen("train");
    seen.add(kProcess);
    seen.add(steps(1, 0, 1, {1, 1, 1}, 0));
    CHECK(seen.recorded(false).stepsPerEpoch == 0);
    seen.add(steps(0, 0, 1, {1, 1, 1}, 0));  // rank 0 has reported no facts: rank 1 decides
    seen.add(steps(1, 1, 4, {1}, 0));
    CHECK(seen.recorded(false).stepsPerEpoch == 3);
    CHECK(seen.config().training.epochs == 2);
}

TEST_CASE("facts of wrong types change nothing") {
    SeenExperiment seen("train");
    for (const char* about : {"process", "loader", "pass_end", "optimizer", "step_counts", "data_parallel"})
        for (const char* text : {"[]", "7",
                                 R"({"world_size":"x","id":-5,"loader":99999999999,"batch_size":[],)"
                                 R"("sampler":3,"dataset":[],"groups":{},"devices":[7],"batches":1})"})
            seen.add(ScriptFacts{0, about, text, 0});
    CHECK(seen.worldSize() == 1);
    for (const Problem& problem : seen.config().validate())  // the problems concern two settings that are not known
        CHECK((problem.field == "dataset.size" || problem.field == "loader.batch_size"));
}

TEST_CASE("the steps of an epoch are those of the latest process of a rank") {
    SeenExperiment seen("train");
    for (const auto& facts : {kProcess, kTraining}) seen.add(facts);
    seen.add(steps(1, 0, 1, {1, 1, 1}, 8));
    for (const auto& facts : {kProcess, kTraining}) seen.add(facts);  // after a restart
    seen.add(steps(1, 0, 4, {1, 1, 1, 1, 1}, 8));
    CHECK(seen.recorded(true).stepsPerEpoch == 5);
}

TEST_CASE("an epoch's loss is the mean over samples, or over steps without samples") {
    EpochResults results(2);
    CHECK(results.add(steps(0, 0, 1, {1, 2}, 10)).empty());
    CHECK(results.add(steps(0, 1, 3, {9}, 10)).empty());
    CHECK(results.add(steps(1, 0, 1, {5}, 5)).empty());
    const auto done = results.add(steps(1, 1, 3, {9}, 10));
    REQUIRE(done.size() == 1);
    CHECK(done[0].loss == 55.0 / 25);  // (10 * 1 + 10 * 2 + 5 * 5) / 25
    CHECK(done[0].samples == 25);
    CHECK(done[0].step == 2);
    CHECK(std::isnan(done[0].accuracy));
    CHECK(results.finish().size() == 1);
    EpochResults alone(1);
    alone.add(steps(0, 0, 1, {1, 4}, 0));
    CHECK(alone.finish()[0].loss == 2.5);
}

TEST_CASE("the reason for no backend begins with a word and not with the file name of the script") {
    SeenExperiment seen("train");
    CHECK(seen.recorded(false).compute.whyBackend == "the script has created no process group");
    seen.add(ScriptFacts{0, "process", R"({"script":"train.py","world_size":1})", 0});
    CHECK(seen.recorded(false).compute.whyBackend == "the script train.py has created no process group");
}

TEST_CASE("the earliest exception is the verdict") {
    WatchVerdict verdict;
    verdict.apply(ScriptFacts{1, "exception", R"({"type":"RuntimeError","text":"reset by peer","where":null})", 900});
    verdict.apply(ScriptFacts{0, "exception",
                              R"({"type":"ValueError","text":"bad","where":"t.py:3","stack":["t.py:3 f"]})", 500});
    const RunEnded failed = verdict.conclude({false, 1, false}, 4);
    CHECK(failed.verdict == "rank 0 failed at t.py:3: ValueError: bad");
    CHECK(failed.firstFailedRank == 0);
    CHECK(failed.exitCode == 1);
    CHECK(failed.lastLines == std::vector<std::string>{"t.py:3 f"});
    // A shell may hide the exit code of a rank.
    CHECK(verdict.conclude({false, 0, false}, 4).state == RunOutcome::kFailed);
    verdict.recordStopRequest(15);
    CHECK(verdict.conclude({true, 15, false}, 4).state == RunOutcome::kStopped);
    CHECK(verdict.conclude({true, 15, false}, 4).exitCode == 143);
}

TEST_CASE("a run whose ranks were started again has finished if its command ends well") {
    WatchVerdict verdict;
    verdict.apply(stateOf(1, RankStage::kTraining));
    CHECK_FALSE(verdict.hasFailedRank(0));
    CHECK(verdict.recordConnectionEnd(1));
    CHECK(verdict.hasFailedRank(0));
    CHECK(verdict.recordRestart(8) ==
          "the ranks were started again after step 8: rank 1 ended without a last report; their step numbers "
          "continue from there");
    CHECK(verdict.restarts() == 1);
    CHECK_FALSE(verdict.hasFailedRank(1));
    verdict.apply(stateOf(1, RankStage::kFinished), 1);
    CHECK_FALSE(verdict.recordConnectionEnd(1, 1));
    const RunEnded end = verdict.conclude({false, 0, false}, 4);
    CHECK(end.state == RunOutcome::kFinished);
    CHECK(end.firstFailedRank == -1);
    CHECK(verdict.conclude({false, 1, false}, 4).state == RunOutcome::kFailed);
    CHECK(end.verdict ==
          "the script has ended after a restart; restarted after step 8: rank 1 ended "
          "without a last report");
}

TEST_CASE("a closed connection to a rank that was lost before is not the reason") {
    const auto verdictWith = [](const std::string& text, std::int64_t lostUs) {
        WatchVerdict verdict;
        verdict.apply(ScriptFacts{0, "exception", R"({"type":"RuntimeError","where":"t.py:3","text":")" + text + "\"}",
                                  1'000'000});
        CHECK(verdict.recordConnectionEnd(1, 0, lostUs));
        return verdict.conclude({false, 1, false}, 4);
    };
    const std::string closed = "[pair.cc:561] Connection closed by peer [127.0.0.1]:16055.";
    CHECK(verdictWith(closed, 1'010'000).verdict ==
          "the command exited with code 1; rank 1 ended first, without a last report");
    CHECK(verdictWith(closed, 1'010'000).firstFailedRank == 1);
    // torchrun ends rank 1 after the failure of rank 0.
    CHECK(verdictWith(closed, 1'100'000).firstFailedRank == 0);
    CHECK(verdictWith("no such file", 1'010'000).firstFailedRank == 0);
}

TEST_CASE("a rank that ends while another one trains is the first failed rank") {
    const auto verdictWith = [](const std::string& text, std::int64_t finishedUs) {
        WatchVerdict verdict;
        RankState finished = stateOf(1, RankStage::kFinished);
        finished.timeUs = finishedUs;
        verdict.apply(finished);
        verdict.apply(ScriptFacts{0, "exception", R"({"type":"RuntimeError","where":"t.py:3","text":")" + text + "\"}",
                                  1'000'000});
        return verdict.conclude({false, 1, false}, 4);
    };
    const std::string closed = "Connection closed by peer [127.0.0.1]:16055.";
    CHECK(verdictWith(closed, 900'000).firstFailedRank == 1);
    CHECK(verdictWith(closed, 900'000).verdict ==
          "rank 1 ended first, without an exception; then rank 0 failed at t.py:3: RuntimeError: " + closed);
    CHECK(verdictWith(closed, 1'100'000).firstFailedRank == 0);
    CHECK(verdictWith("no such file", 900'000).verdict == "rank 0 failed at t.py:3: RuntimeError: no such file");
}

TEST_CASE("the verdict names each restart and the failure of the last attempt") {
    WatchVerdict verdict;
    CHECK(verdict.recordConnectionEnd(1));
    CHECK(WatchVerdict(verdict).recordRestart(0).starts_with(
        "the ranks were started again before the first reported step: "));
    verdict.recordRestart(8);
    verdict.apply(ScriptFacts{0, "exception", R"({"type":"ValueError","text":"bad","where":"t.py:3"})", 500}, 1);
    CHECK(verdict.recordConnectionEnd(1, 1));  // ended by the launcher
    verdict.recordRestart(3);
    verdict.apply(ScriptFacts{2, "exception", R"({"type":"OSError","text":"disk","where":"t.py:5"})", 900}, 2);
    const RunEnded end = verdict.conclude({false, 1, false}, 4);
    CHECK(end.state == RunOutcome::kFailed);
    CHECK(end.firstFailedRank == 2);
    CHECK(end.verdict ==
          "rank 2 failed at t.py:5: OSError: disk, after 2 restarts; restarted after "
          "step 8: rank 1 ended without a last report, and after step 3 of restart 1: rank 0 failed at t.py:3: "
          "ValueError: bad");
}

TEST_CASE("a rank without a last report has failed, unless it was requested to end") {
    const ChildEnd good{false, 0, false}, terminated{true, 15, false};
    WatchVerdict lost;
    lost.apply(stateOf(0, RankStage::kFinished));
    lost.apply(stateOf(1, RankStage::kTraining));
    CHECK_FALSE(lost.recordConnectionEnd(0));
    CHECK(lost.recordConnectionEnd(1));
    const RunEnded end = lost.conclude(good, 4);
    CHECK(end.state == RunOutcome::kFailed);
    CHECK(end.firstFailedRank == 1);
    CHECK(end.verdict == "the command exited with code 0; rank 1 ended first, without a last report");
    lost.setEndedByCheck();
    CHECK(lost.conclude(terminated, 4).state == RunOutcome::kFailed);
    WatchVerdict checked;
    checked.apply(stateOf(0, RankStage::kTraining));
    checked.setEndedByCheck();
    CHECK_FALSE(checked.recordConnectionEnd(0));
    checked.apply(ScriptFacts{1, "exception", R"({"type":"RuntimeError","text":"reset by peer"})", 900});
    CHECK(checked.conclude(terminated, 117).verdict == "ended by --check after 117 steps");
    CHECK(checked.conclude(terminated, 117).firstFailedRank == -1);
    WatchVerdict stopped;
    stopped.recordStopRequest(15);
    CHECK_FALSE(stopped.recordConnectionEnd(0));
    CHECK(stopped.conclude(good, 4).state == RunOutcome::kFinished);
}
