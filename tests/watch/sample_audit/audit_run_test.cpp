// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/audit_run.h"

#include <cstdint>
#include <vector>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/sha256_of.h"
#include "support/temporary_directory.h"
#include "telemetry/events/codec.h"
#include "watch/audit/planned_audit.h"
#include "watch/sample_audit/recorded_script.h"

using namespace ringside;
using namespace ringside::testing;
namespace fs = std::filesystem;

namespace {

RecordedScript scriptOf(const Indices& index, bool exhausted) {
    RecordedScript script;
    script.process(0, 1);
    script.loader(0, 0, listOf(6));
    script.epoch(0, 0, 0, index, exhausted);
    return script;
}

fs::path write(const fs::path& run, const RecordedScript& script, const std::string& continues = {}) {
    fs::create_directories(run);
    std::string lines;
    for (const Event& event : script.events) lines += encode(event);
    writeFileAtomically(run / "telemetry.jsonl", lines);
    if (!continues.empty()) writeFileAtomically(run / "launch.json", Json{{"continues", continues}}.dump());
    return run;
}

}  // namespace

TEST_CASE("a recorded run is audited together with the run that it continues", "[audit]") {
    const TemporaryDirectory directory;
    const fs::path first = write(directory.path() / "a", scriptOf({0, 1, 2}, false));
    const fs::path second = write(directory.path() / "b", scriptOf({3, 4, 5}, true), first.string());
    const Result<SampleAudit> audit = auditRun(second);
    REQUIRE(audit);
    REQUIRE(audit.value().training.size() == 1);
    CHECK(audit.value().training[0].isExact());
    CHECK(audit.value().training[0].runs == 2);
}

namespace {

// Facts of topic tensors about a model with one tensor.
Json weights(int step, double norm) {
    return {{"optimizer", 0},
            {"step", step},
            {"names", {"a"}},
            {"sizes", {4}},
            {"norm", {norm}},
            {"sum", {norm / 2}},
            {"gradient_norm", {nullptr}},
            {"gradient_sum", {nullptr}}};
}

}  // namespace

// Two starts of the script in one run: the first trains steps 1 to 3 and fails, the second continues from the
// checkpoint of step 1 and trains what was left of the epoch.
TEST_CASE("steps that a restart does not continue from do not count", "[audit]") {
    const auto tensors = [](RecordedScript& script, int step, double norm) {
        script.fact(0, "tensors", weights(step, norm));
    };
    const auto trained = [](RecordedScript& script, int step, const Indices& index) {
        script.events.emplace_back(ConsumedIndices{0, 0, step, 0, index, 0});
    };
    const double start = GENERATE(3.5, 3.25, 7.0);  // weights of the restart: the first ones, those of step 1, others
    CAPTURE(start);
    RecordedScript script;
    script.process(0, 1);
    script.loader(0, 0, listOf(6));
    tensors(script, 0, 3.5);
    trained(script, 1, {0, 1});
    tensors(script, 1, 3.25);
    trained(script, 2, {2, 3});
    tensors(script, 2, 3.125);
    trained(script, 3, {4, 5});
    script.process(0, 1);
    script.loader(0, 0, listOf(6));
    tensors(script, 0, start);
    trained(script, 4, {2, 3, 4, 5});
    script.passEnd(0, 0, 0, 0, 4);
    const TemporaryDirectory directory;
    const Result<SampleAudit> audit = auditRun(write(directory.path() / "a", script));
    REQUIRE(audit);
    REQUIRE(audit.value().training.size() == 1);
    const EpochAudit& epoch = audit.value().training[0];
    const std::int64_t assigned = start == 3.5 ? 4 : start == 3.25 ? 6 : 10;
    CHECK(epoch.assigned == assigned);
    CHECK(epoch.distinct == (start == 3.5 ? 4 : 6));
    CHECK(epoch.twice == (start == 7.0 ? 4 : 0));
    CHECK(epoch.never == (start == 3.5 ? 2 : 0));
    CHECK(audit.value().knowsStarts == (start != 7.0));
    REQUIRE_FALSE(audit.value().notes.empty());
    CHECK(audit.value().notes.back().starts_with(start == 7.0 ? "The step from which the restart after step 3"
                                                              : "The restart after step 3"));
}

namespace {

StepsFrame finishedStep(int rank, std::int64_t epoch, std::int64_t step) {
    StepsFrame frame;
    frame.rank = rank;
    frame.epoch = epoch;
    frame.step = {step};
    frame.loss = {1};
    frame.samples = {1};
    frame.endUs = {0};
    return frame;
}

}  // namespace

// Rank 0 reports the batch of step 3, which it could not finish because rank 1 had ended. The recorder numbers the
// steps after the restart from 3.
TEST_CASE("a step that failed on one rank does not shift the steps after the restart", "[audit]") {
    RecordedScript script;
    const auto begin = [&script] {
        for (const int rank : {0, 1}) {
            script.process(rank, 2);
            script.loader(rank, 0, listOf(8));
        }
    };
    const auto train = [&script](std::int64_t epoch, std::int64_t step, bool isFinished, const Indices& index) {
        for (const int rank : {0, 1}) {
            script.events.emplace_back(
                ConsumedIndices{rank, epoch, step, 0, {index.begin() + 2 * rank, index.begin() + 2 * rank + 2}, 0});
            if (isFinished) script.events.emplace_back(finishedStep(rank, epoch, step));
        }
    };
    begin();
    script.fact(0, "tensors", weights(0, 3.5));
    train(0, 1, true, {0, 1, 2, 3});
    train(0, 2, true, {4, 5, 6, 7});
    script.fact(0, "tensors", weights(2, 3.25));
    for (const int rank : {0, 1}) script.passEnd(rank, 0, 0, 0, 4);
    script.events.emplace_back(ConsumedIndices{0, 1, 3, 0, {7, 6}, 0});
    script.passEnd(0, 0, 1, 1, 2, false);
    begin();
    script.fact(0, "tensors", weights(0, 3.25));
    train(0, 3, true, {7, 6, 5, 4});
    train(0, 4, true, {3, 2, 1, 0});
    for (const int rank : {0, 1}) script.passEnd(rank, 0, 0, 0, 4);
    const TemporaryDirectory directory;
    const Result<SampleAudit> audit = auditRun(write(directory.path() / "a", script));
    REQUIRE(audit);
    REQUIRE(audit.value().training.size() == 2);
    CHECK(audit.value().training[0].isExact());
    CHECK(audit.value().training[1].isExact());
    CHECK(audit.value().training[1].assigned == 8);
}

TEST_CASE("batches that share a backward pass are noted, because some may have been skipped", "[audit]") {
    const int backwards = GENERATE(1, 2);
    RecordedScript script;
    script.process(0, 1);
    script.loader(0, 0, listOf(4));
    script.trained(0, 0, 0, {0, 1}, 0);
    script.trained(0, 0, 0, {2, 3}, 2);
    script.fact(0, "step_counts", {{"from_step", 1}, {"backwards", backwards}});
    script.passEnd(0, 0, 0, 0, 4);
    const SampleAudit audit = auditOf({script});
    CHECK(audit.training.at(0).isExact());
    REQUIRE(audit.notes.size() == (backwards == 1 ? 1 : 0));
    if (backwards == 1) {
        CHECK(
            audit.notes[0] ==
            "In a step of rank 0, one backward pass follows several batches of a loader: all of them count as trained, "
            "even if the script has skipped some");
    }
}

// The first run saves a checkpoint after step 1 and continues to train. The second run starts with the weights of step
// 1.
TEST_CASE("steps after the checkpoint that a run continues from do not count", "[audit]") {
    const auto tensors = [](RecordedScript& script, int step, double norm) {
        script.fact(0, "tensors",
                    {{"optimizer", 0},
                     {"step", step},
                     {"names", {"a"}},
                     {"sizes", {4}},
                     {"norm", {norm}},
                     {"sum", {norm / 2}},
                     {"gradient_norm", {nullptr}},
                     {"gradient_sum", {nullptr}}});
    };
    RecordedScript first;
    first.process(0, 1);
    first.loader(0, 0, listOf(6));
    tensors(first, 0, 3.5);
    first.trained(0, 0, 0, {0, 1, 2});
    tensors(first, 1, 3.25);
    first.events.emplace_back(ConsumedIndices{0, 0, 2, 3, {3, 4, 5}});
    tensors(first, 2, 3.125);
    first.passEnd(0, 0, 0, 0, 6);
    first.events.emplace_back(ConsumedIndices{0, 1, 3, 0, {5, 4, 3, 2, 1, 0}});
    first.passEnd(0, 0, 1, 1, 6);
    RecordedScript second;
    second.process(0, 1);
    second.loader(0, 0, listOf(6));
    tensors(second, 0, 3.25);
    second.epoch(0, 0, 0, {3, 4, 4});
    const TemporaryDirectory directory;
    const fs::path a = write(directory.path() / "a", first);
    const Result<SampleAudit> audit = auditRun(write(directory.path() / "b", second, a.string()));
    REQUIRE(audit);
    REQUIRE(audit.value().training.size() == 1);
    const EpochAudit& epoch = audit.value().training[0];
    CHECK(epoch.assigned == 6);
    CHECK(epoch.distinct == 5);
    CHECK(epoch.twice == 1);
    CHECK(epoch.never == 1);  // sample 5
    CHECK(epoch.runs == 2);
    REQUIRE_FALSE(audit.value().notes.empty());
    CHECK(audit.value().notes.back() ==
          "b continues a from step 1, as a comparison of weights shows: later steps of that run do not count");
}

TEST_CASE("a chain without its first run is a problem that names the directory", "[audit]") {
    const TemporaryDirectory directory;
    const fs::path gone = directory.path() / "gone";
    const Result<SampleAudit> audit = auditRun(write(directory.path() / "b", scriptOf({0}, true), gone.string()));
    REQUIRE_FALSE(audit);
    CHECK(audit.problem().field == gone.string());
}

TEST_CASE("a run that continues itself is a problem", "[audit]") {
    const TemporaryDirectory directory;
    const fs::path a = directory.path() / "a";
    REQUIRE_FALSE(auditRun(write(a, scriptOf({0}, true), a.string())));
}

TEST_CASE("damaged lines are counted and named", "[audit]") {
    const TemporaryDirectory directory;
    const fs::path run = write(directory.path() / "a", scriptOf({0, 1, 2, 3, 4, 5}, true));
    std::string text = readFile(run / "telemetry.jsonl", 1U << 20).value();
    const std::size_t at = text.find("\"index\"");
    REQUIRE(at != std::string::npos);
    text.replace(at, 7, "\"indxx");
    writeFileAtomically(run / "telemetry.jsonl", text);
    const Result<SampleAudit> audit = auditRun(run);
    REQUIRE(audit);
    REQUIRE_FALSE(audit.value().notes.empty());
    CHECK(audit.value().notes.back() == "1 damaged lines were skipped, so the shown numbers of samples may be too low");
}

TEST_CASE("each prefix of a record is audited or refused without a crash", "[audit]") {
    const TemporaryDirectory directory;
    const fs::path run = write(directory.path() / "a", scriptOf({0, 1, 2, 3, 4, 5}, true));
    const std::string text = readFile(run / "telemetry.jsonl", 1U << 20).value();
    for (std::size_t size = 0; size < text.size(); size += 7) {
        writeFileAtomically(run / "telemetry.jsonl", text.substr(0, size));
        const Result<SampleAudit> audit = auditRun(run);
        if (audit) {
            for (const EpochAudit& one : audit.value().training) CHECK(one.assigned <= 6);
        } else {
            CHECK_FALSE(audit.problem().remedy.empty());
        }
    }
}

namespace {

// Returns the audit of one epoch of an own run of two ranks over 8 samples without shuffling.
EpochAudit auditOf(const std::string& settings, const std::vector<std::int64_t>& rank0,
                   const std::vector<std::int64_t>& rank1) {
    RunStarted started;
    started.trainingSamples = 8;
    started.config = R"({"version": 1, "parallel": {"world_size": 2}, )" + settings + "}";
    const Result<SampleAudit> audit = auditByPlan(started, {{0, 0, std::ssize(rank0), sha256OfNumbers(rank0)},
                                                            {1, 0, std::ssize(rank1), sha256OfNumbers(rank1)}});
    REQUIRE(audit);
    return audit.value().training.at(0);
}

}  // namespace

TEST_CASE("the audit of a Ringside run gives the reason why samples are repeated or missing", "[audit]") {
    const std::vector<std::int64_t> all = {0, 1, 2, 3, 4, 5, 6, 7};
    const EpochAudit sequential = auditOf(R"("sampler": {"kind": "sequential"})", all, all);
    CHECK(sequential.twice == 8);
    CHECK(sequential.why == "each rank trains on all samples, because sampler.kind sequential does not divide them");
    CHECK(sequential.isByRule);
    // Rank r has the samples r, r + 2, ..., of which the sampler gives it every second one, starting at the r-th.
    const EpochAudit twice =
        auditOf(R"("sampler": {"shuffle": false}, "pitfalls": {"double_sharding": true})", {0, 4}, {3, 7});
    CHECK(twice.never == 4);
    CHECK(twice.why == "pitfalls.double_sharding divides the samples among the ranks twice");
    CHECK_FALSE(twice.isByRule);
    const EpochAudit subset =
        auditOf(R"("sampler": {"kind": "subset", "subset_indices": [1, 3, 5], "shuffle": false})", {1, 5}, {3, 1});
    CHECK(subset.never == 5);
    CHECK(subset.why == "sampler.kind subset uses a part of the samples");
    CHECK(subset.isByRule);
    CHECK(auditOf(R"("sampler": {"shuffle": false})", {0, 2, 4, 6}, {1, 3, 5, 7}).isExact());
}

// torch's DataLoader with drop_last yields 0 4 8 | 1 5 9, and nothing on the ranks that have 2 6 | 3 7.
TEST_CASE("an epoch in which the loader drops the samples of shorter ranks is by rule", "[audit]") {
    RunStarted started;
    started.trainingSamples = 10;
    started.config = R"({"version": 1, "parallel": {"world_size": 4}, "loader": {"batch_size": 3, "drop_last": true},
                         "sampler": {"kind": "unpadded", "shuffle": false}})";
    const std::vector<Consumed> hashes = {{0, 0, 3, sha256OfNumbers({0, 4, 8})},
                                          {1, 0, 3, sha256OfNumbers({1, 5, 9})},
                                          {2, 0, 0, sha256OfNumbers({})},
                                          {3, 0, 0, sha256OfNumbers({})}};
    const Result<SampleAudit> audit = auditByPlan(started, hashes);
    REQUIRE(audit);
    REQUIRE(audit.value().training.size() == 1);
    const EpochAudit& epoch = audit.value().training[0];
    CHECK(epoch.never == 4);
    CHECK(epoch.twice == 0);
    CHECK(epoch.why == "drop_last leaves out the missing samples");
    CHECK(epoch.isByRule);
}
