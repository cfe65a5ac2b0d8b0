// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "support/catch.h"
#include "watch/audit/audit_text.h"
#include "watch/sample_audit/recorded_script.h"

using namespace ringside;

// Scripts hold out a part of a data set with SubsetRandomSampler. The names of the classes are those of PyTorch.
TEST_CASE("samplers that draw a part or with replacement explain the epoch", "[audit]") {
    const auto within = [](Json sampler) {
        return Json{{"sampler", {{"class", "torch.utils.data.sampler.BatchSampler"}, {"inner", std::move(sampler)}}}};
    };
    RecordedScript part = scriptWithRanks(1, 5, within({{"class", "torch.utils.data.sampler.SubsetRandomSampler"}}));
    part.epoch(0, 0, 0, {3, 0, 1});
    const SampleAudit ofPart = auditOf({part});
    CHECK(ofPart.training.at(0).why == "SubsetRandomSampler draws from a list of 3 samples");
    CHECK(linesOf(ofPart).at(0).good);

    RecordedScript again =
        scriptWithRanks(1, 3, within({{"class", "torch.utils.data.sampler.RandomSampler"}, {"replacement", true}}));
    again.epoch(0, 0, 0, {2, 2, 0});
    const SampleAudit ofAgain = auditOf({again});
    CHECK(ofAgain.training.at(0).why == "RandomSampler draws with replacement");
    CHECK(linesOf(ofAgain).at(0).good);

    const Json weighted = within({{"class", "torch.utils.data.sampler.WeightedRandomSampler"}, {"replacement", true}});
    RecordedScript ofTwo = scriptWithRanks(2, 6, weighted);
    ofTwo.epoch(0, 0, 0, {2, 2, 0});
    ofTwo.epoch(1, 0, 0, {5, 2, 1});
    CHECK(auditOf({ofTwo}).training.at(0).why == "WeightedRandomSampler draws with replacement");
    CHECK(linesOf(auditOf({ofTwo})).at(0).good);
    RecordedScript equal = scriptWithRanks(2, 6, weighted);
    equal.epoch(0, 0, 0, {2, 2, 0});
    equal.epoch(1, 0, 0, {2, 2, 0});
    CHECK_FALSE(linesOf(auditOf({equal})).at(0).good);

    RecordedScript plain = scriptWithRanks(1, 3, within({{"class", "torch.utils.data.sampler.RandomSampler"}}));
    plain.epoch(0, 0, 0, {2, 2, 0});
    CHECK(auditOf({plain}).training.at(0).why.empty());
    RecordedScript twice = scriptWithRanks(1, 5, within({{"class", "torch.utils.data.sampler.SubsetRandomSampler"}}));
    twice.epoch(0, 0, 0, {3, 3, 1});
    CHECK_FALSE(linesOf(auditOf({twice})).at(0).good);
}

TEST_CASE("a loader whose batches may be kept in memory is not reported as a validation loader", "[audit]") {
    const auto auditWith = [](bool evaluates) {
        RecordedScript script = scriptWithRanks(1, 4);
        script.evaluated(0, 0, 0, 0, {0, 1, 2, 3});
        script.fact(
            0, "pass_end",
            {{"loader", 0}, {"pass", 0}, {"why", "exhausted"}, {"untrained", 1}, {"evaluation_mode", evaluates}});
        StepsFrame frame;
        frame.step = {1};
        frame.samples = {0};
        script.events.emplace_back(frame);
        return auditOf({script});
    };
    CHECK(auditWith(true).validation.size() == 1);
    const SampleAudit audit = auditWith(false);
    CHECK(audit.validation.empty());
    REQUIRE(audit.notes.size() == 1);
    CHECK(audit.notes[0].starts_with("No backward pass follows a batch of the DataLoader at train.py:"));
}

TEST_CASE("a script without a DataLoader is named", "[audit]") {
    RecordedScript script;
    script.process(0, 1);
    StepsFrame frame;
    frame.step = {1};
    frame.samples = {0};
    script.events.emplace_back(frame);
    const SampleAudit audit = auditOf({script});
    CHECK(audit.training.empty());
    REQUIRE(audit.notes.size() == 1);
    CHECK(audit.notes[0].starts_with("No DataLoader was used for training"));
}

TEST_CASE("steps without a batch of a loader are named beside steps with one", "[audit]") {
    const auto notesOf = [](const std::vector<std::int64_t>& samplesOfSteps) {
        RecordedScript script = scriptWithRanks(1, 4);
        script.epoch(0, 0, 0, {0, 1, 2, 3});
        StepsFrame frame;
        for (std::size_t step = 1; step <= samplesOfSteps.size(); ++step)
            frame.step.push_back(static_cast<std::int64_t>(step));
        frame.samples = samplesOfSteps;
        script.events.emplace_back(frame);
        return auditOf({script}).notes;
    };
    CHECK(notesOf({4, 4}).empty());
    REQUIRE(notesOf({4, 0, 0}).size() == 1);
    CHECK(notesOf({4, 0, 0})[0].starts_with("2 of 3 optimizer steps of rank 0 follow no batch of a loader"));
}
