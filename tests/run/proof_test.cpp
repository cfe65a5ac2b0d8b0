// SPDX-License-Identifier: Apache-2.0
#include "run/prove/proof.h"

#include <bit>
#include <cstring>
#include <limits>

#include "base/json/json.h"
#include "base/system/files.h"
#include "run/checkpoint/safetensors.h"
#include "support/catch.h"
#include "support/stored_tensors.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

std::string bytesOf(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// Fake trainings. A weight grows by 1 in each step; in the training "other", it is 0.25 larger from step 6 on.
class Trainings {
  public:
    Result<std::filesystem::path> operator()(const ProofCase& what, std::int64_t steps) {
        ++runs;
        if (what.name == "broken") return Problem{"mesh.pipeline", "makes 8 stages", "use fewer"};
        float value = what.name == "diverged" ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(steps);
        if (what.name == "other" && steps >= 6) value += 0.25F;
        const auto path = m_directory.path() / (what.name + std::to_string(steps));
        writeFileAtomically(path, encodeSafetensors({{.name = "0.weight", .shape = {2}, .bytes = bytesOf({1, 2})},
                                                     {.name = "2.bias", .shape = {1}, .bytes = bytesOf({value})}},
                                                    {}));
        return path;
    }
    int runs = 0;

  private:
    TemporaryDirectory m_directory;
};

ProofCase named(const std::string& name, bool mustBeEqual = true) {
    ProofCase one{name, {}, "ddp", mustBeEqual, mustBeEqual ? "" : "order of addition"};
    one.config.training.maxSteps = 10;
    return one;
}

}  // namespace

TEST_CASE("a proof reports equal bits, or the first step and tensor that differ") {
    Trainings trainings;
    Proof proof({named("ddp"), named("same"), named("other"), named("broken")},
                [&trainings](const ProofCase& what, std::int64_t steps) { return trainings(what, steps); });
    const ProofLine same = proof.prove(proof.cases()[1]);
    CHECK(same.equal == true);
    CHECK(same.toJson()["first"].is_null());
    CHECK(same.sha256.size() == 64);
    const ProofLine other = proof.prove(proof.cases()[2]);
    CHECK(other.equal == false);
    CHECK_FALSE(other.isAsExpected);
    REQUIRE(other.first);
    CHECK(other.first->step == 6);
    CHECK(other.first->layer == "2");
    CHECK(other.first->tensor == "2.bias");
    CHECK(other.first->largest == 0.25);
    const ProofLine broken = proof.prove(proof.cases()[3]);
    CHECK_FALSE(broken.equal);
    CHECK(broken.problem == "mesh.pipeline makes 8 stages: use fewer");
}

TEST_CASE("equal weights that are not finite prove nothing") {
    Trainings trainings;
    ProofCase diverged = named("diverged");
    diverged.reference = "diverged";
    Proof proof({diverged}, [&trainings](const ProofCase& what, std::int64_t steps) { return trainings(what, steps); });
    const ProofLine line = proof.prove(proof.cases()[0]);
    CHECK_FALSE(line.equal);
    CHECK(line.problem.starts_with("the weights are not finite after 10 steps"));
    ProofTally tally;
    tally.add(line);
    CHECK_FALSE(tally.hasResult());
}

TEST_CASE("settings that no case has are listed") {
    RunConfig config;
    config.parallel.strategy = StrategyKind::kFsdp;
    config.training.checkpointEvery = 3;
    CHECK(settingsLeftOut(config).empty());
    config.training.accumulateSteps = 4;
    config.training.resume = "runs/first";
    CHECK(settingsLeftOut(config) ==
          std::vector<std::string>{"training.accumulate_steps=4", "training.resume=\"runs/first\""});
    config = {};
    config.parallel.backend = CollectiveBackend::kShm;
    CHECK(settingsLeftOut(config).empty());
    config.parallel.backend = CollectiveBackend::kGloo;
    config.parallel.device = DeviceChoice::kCuda;
    CHECK(settingsLeftOut(config) == std::vector<std::string>{"parallel.backend=\"gloo\"", "parallel.device=\"cuda\""});
}

TEST_CASE("duplicate samples are a reason only if the sampler fills up a trained step") {
    RunConfig config;
    config.loader.batchSize = 32;
    const auto reason = [&](std::int64_t samples) { return proofCases(config, 1000, samples).back().why; };
    CHECK(reason(1437).starts_with("order of addition"));
    CHECK(reason(127) ==
          "duplicate samples, which the sampler adds at the end of the epoch, and the order of addition");
    config.sampler.dropLast = true;
    CHECK(reason(127).starts_with("order of addition"));
}

TEST_CASE("strategies that may differ are reported with the reason and are not failures") {
    Trainings trainings;
    Proof proof({named("ddp"), named("other", false)},
                [&trainings](const ProofCase& what, std::int64_t steps) { return trainings(what, steps); });
    const ProofLine line = proof.prove(proof.cases()[1]);
    CHECK(line.equal == false);
    CHECK(line.isAsExpected);
    CHECK(line.first->why == "order of addition");
}

TEST_CASE("an experiment is tested under every strategy within complete batches of an epoch") {
    RunConfig config;
    config.loader.batchSize = 32;
    config.pipeline.microBatches = 5;
    const std::vector<ProofCase> cases = proofCases(config, 1000, 1437);
    for (const ProofCase& one : cases) {
        INFO(one.name);
        CHECK(one.config.validateForTraining().empty());
        CHECK(one.config.training.maxSteps * one.config.globalBatch() <= 1437);
        CHECK(one.config.optimizer.lr == config.optimizer.lr);
    }
    const auto of = [&](const std::string& name) { return std::ranges::find(cases, name, &ProofCase::name)->config; };
    CHECK(of("ddp").training.maxSteps == 11);               // 11 steps of 4 x 32 samples are at most 1437 samples
    CHECK(of("pipeline:1f1b").pipeline.microBatches == 4);  // divides 32
    CHECK(of("accumulate").loader.batchSize == 8);
    CHECK(of("accumulate").training.accumulateSteps == 4);
    CHECK(of("hsdp").mesh.replicate == 2);
    CHECK(of("large_batch").globalBatch() == 128);
}

TEST_CASE("an experiment of one rank is not tested as a pipeline") {
    RunConfig config;
    config.parallel.worldSize = 1;
    std::vector<std::string> names;
    for (const ProofCase& one : proofCases(config, 3, 1437)) names.push_back(one.name);
    CHECK(names == std::vector<std::string>{"ddp", "fsdp:optimizer", "fsdp:gradients", "fsdp:parameters", "recompute",
                                            "single", "model_parallel", "large_batch"});
}

TEST_CASE("an experiment with canonical reduction is compared on 1, 2, 4 and 8 data-parallel ranks") {
    RunConfig config;
    config.loader.batchSize = 32;
    config.training.reduction = ReductionOrder::kCanonical;
    const std::vector<ProofCase> cases = proofCases(config, 1000, 1437);
    for (const ProofCase& one : cases) {
        INFO(one.name);
        CHECK(one.config.validateForTraining().empty());
        CHECK(one.reference == "single");
        CHECK(one.mustBeEqual);
        CHECK(one.config.globalBatch() == 128);
        CHECK(one.config.training.maxSteps == 1000);
        CHECK(one.config.training.epochs == 91);  // 1000 steps need 91 epochs of 11 whole batches
    }
    const auto of = [&](const std::string& name) { return std::ranges::find(cases, name, &ProofCase::name)->config; };
    CHECK(of("ddp:8").parallel.worldSize == 8);
    CHECK(of("hsdp:4").mesh.replicate == 2);
    CHECK(of("sharded_stages:4").mesh.shard == 2);
    config.training.leaves = 2;
    config.parallel.worldSize = 2;
    for (const ProofCase& one : proofCases(config, 10, 1437)) CHECK(one.config.dataRanks() <= 2);
}

TEST_CASE("the totals of a proof count equal strategies and untested strategies") {
    Trainings trainings;
    Proof proof({named("ddp"), named("same"), named("other", false), named("broken")},
                [&trainings](const ProofCase& what, std::int64_t steps) { return trainings(what, steps); });
    ProofTally tally;
    for (const ProofCase& one : proof.cases()) tally.add(proof.prove(one));
    CHECK(tally.isAsExpected());
    CHECK(tally.hasResult());
    ProofTally untested;
    untested.add({.strategy = "ddp", .reference = "ddp"});
    CHECK_FALSE(untested.hasResult());
    ProofTally onlyReference;
    onlyReference.add({.strategy = "ddp", .reference = "ddp", .equal = true});
    CHECK(onlyReference.hasResult());
    CHECK(tally.text() == "1 equal, 1 differs as expected, 1 could not be tested, so its result is unknown");
    tally.add({.strategy = "hsdp", .reference = "ddp", .equal = false, .isAsExpected = false});
    tally.add({.strategy = "pipeline", .reference = "single"});
    CHECK_FALSE(tally.isAsExpected());
    CHECK(tally.text() ==
          "1 equal, 1 differs as expected, 1 differs and must not differ, 2 could not be tested, so their results are "
          "unknown");
}
