// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/sample_audit.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <set>

#include "support/catch.h"
#include "watch/audit/audit_text.h"
#include "watch/sample_audit/recorded_script.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

constexpr const char* kSampler = "torch.utils.data.distributed.DistributedSampler";

Json distributed(std::int64_t ranks, std::int64_t total, bool dropLast = false) {
    return {
        {"sampler",
         {{"class", "torch.utils.data.sampler.BatchSampler"},
          {"inner", {{"class", kSampler}, {"num_replicas", ranks}, {"total_size", total}, {"drop_last", dropLast}}}}},
        {"batch_size", 2}};
}

std::vector<std::string> textsOf(const SampleAudit& audit) {
    std::vector<std::string> texts;
    for (const SamplesLine& line : linesOf(audit)) texts.push_back(line.label + ": " + line.text);
    return texts;
}

}  // namespace

TEST_CASE("an epoch in which two ranks train every sample once is exact", "[audit]") {
    RecordedScript script = scriptWithRanks(2, 4);
    script.epoch(0, 0, 0, {0, 2});
    script.epoch(1, 0, 0, {1, 3});
    const SampleAudit audit = auditOf({script});
    REQUIRE(audit.training.size() == 1);
    CHECK(audit.training[0].isExact());
    CHECK(audit.training[0].assigned == 4);
    CHECK(textsOf(audit) ==
          std::vector<std::string>{"training epoch 1: every sample exactly once: 4 samples over 2 ranks"});
}

TEST_CASE("batches before a failure in the first step do not count as an evaluation", "[audit]") {
    const auto with = [](bool fails) {
        RecordedScript script = scriptWithRanks(1, 8);
        script.evaluated(0, 0, 0, 0, {0, 1});
        script.passEnd(0, 0, 0, std::nullopt, 2, false);
        if (fails) script.fact(0, "exception", {{"type", "RuntimeError"}, {"text", "no"}});
        script.fact(0, "end", {{"steps", 0}});
        return auditOf({script});
    };
    CHECK(with(false).validation.size() == 1);
    CHECK(textsOf(with(true)).empty());
}

TEST_CASE("loaders that one line iterates over are distinguished", "[audit]") {
    RecordedScript script;
    script.process(0, 1);
    for (const int loader : {0, 1}) script.loader(0, loader, listOf(4, loader), {{"where", "train.py:9"}});
    script.loader(0, 2, listOf(2, 2));
    for (const int loader : {0, 1}) script.epoch(0, loader, 0, {0, 1, 2, 3});
    script.evaluated(0, 2, 0, 0, {0, 1});
    script.passEnd(0, 2, 0, std::nullopt, 2);
    CHECK(textsOf(auditOf({script})) ==
          std::vector<std::string>{"training epoch 1 train.py:9 (loader 1): every sample exactly once: 4 samples",
                                   "training epoch 1 train.py:9 (loader 2): every sample exactly once: 4 samples",
                                   "validation epoch 1: every sample exactly once: 2 samples"});
}

// 10 samples over 4 ranks: ceil(10 / 4) = 3 each, 12 in all, so the sampler repeats the first 2 of the order.
TEST_CASE("repeated samples of DistributedSampler are named as padding", "[audit]") {
    RecordedScript script = scriptWithRanks(4, 10, distributed(4, 12));
    script.epoch(0, 0, 0, {0, 4, 8});
    script.epoch(1, 0, 0, {1, 5, 9});
    script.epoch(2, 0, 0, {2, 6, 0});
    script.epoch(3, 0, 0, {3, 7, 1});
    const EpochAudit epoch = auditOf({script}).training.at(0);
    CHECK(epoch.distinct == 10);
    CHECK(epoch.twice == 2);
    CHECK(epoch.never == 0);
    CHECK(epoch.why == "DistributedSampler repeats 2 samples so that each of 4 ranks gets 3");
}

TEST_CASE("samples that DistributedSampler drops are named", "[audit]") {
    RecordedScript script = scriptWithRanks(4, 10, distributed(4, 8, true));
    for (int rank = 0; rank < 4; ++rank) script.epoch(rank, 0, 0, {rank, rank + 4});
    const EpochAudit epoch = auditOf({script}).training.at(0);
    CHECK(epoch.never == 2);
    CHECK(epoch.twice == 0);
    CHECK(epoch.why == "drop_last of DistributedSampler leaves out 2 samples so that each of 4 ranks gets 2");
}

// Two samples are repeated, as padding would do, but two others are missing. No rule explains both.
TEST_CASE("padding does not explain samples that are missing", "[audit]") {
    RecordedScript script = scriptWithRanks(2, 6, distributed(2, 6));
    script.epoch(0, 0, 0, {0, 2, 4});
    script.epoch(1, 0, 0, {0, 2, 5});
    const EpochAudit epoch = auditOf({script}).training.at(0);
    CHECK(epoch.distinct == 4);
    CHECK(epoch.twice == 2);
    CHECK(epoch.never == 2);
    CHECK(epoch.shared == 2);
    CHECK(epoch.why.empty());
}

TEST_CASE("ranks that all read everything are named", "[audit]") {
    RecordedScript script = scriptWithRanks(2, 3);
    script.epoch(0, 0, 0, {0, 1, 2});
    script.epoch(1, 0, 0, {2, 0, 1});
    const SampleAudit audit = auditOf({script});
    CHECK(audit.training.at(0).twice == 3);
    CHECK(audit.training.at(0).why == "each of 2 ranks reads all samples");
    CHECK_FALSE(linesOf(audit).at(0).good);
}

TEST_CASE("a line that sums up further epochs is good only if each of these epochs is good", "[audit]") {
    for (const bool repeats : {false, true}) {
        RecordedScript script = scriptWithRanks(1, 3);
        script.epoch(0, 0, 0, {0, 1, 2});
        script.epoch(0, 0, 1, repeats ? std::vector<std::int64_t>{0, 0, 1} : std::vector<std::int64_t>{0, 1});
        script.epoch(0, 0, 2, {2, 1, 0});
        const std::vector<SamplesLine> lines = linesOf(auditOf({script}), 0);
        REQUIRE(lines.at(0).text == "and 3 epochs more");
        CHECK_FALSE(lines.at(0).good);
        CHECK(linesOf(auditOf({script}), 2).at(2).text == "and 1 epoch more");
        CHECK(linesOf(auditOf({script}), 2).at(2).good);
    }
}

TEST_CASE("samples that were only counted are neither a good nor a bad result", "[audit]") {
    for (const char* why : {"", "samples of an IterableDataset have no indices: they are only counted"}) {
        SampleAudit audit;
        audit.training = {{.assigned = 8, .isFinished = true, .ranks = {{0, 8}}, .why = why}};
        for (const std::size_t most : {12U, 0U}) {
            const SamplesLine line = linesOf(audit, most).at(0);
            INFO(line.text);
            CHECK_FALSE(line.good);
            CHECK_FALSE(line.known);
        }
    }
    CHECK(linesOf(auditOf({[] {
              RecordedScript script = scriptWithRanks(1, 2);
              script.epoch(0, 0, 0, {1, 0});
              return script;
          }()}))
              .at(0)
              .known);
}

TEST_CASE("samples of an unfinished epoch are not reported as never trained", "[audit]") {
    RecordedScript script = scriptWithRanks(1, 10);
    script.epoch(0, 0, 0, {0, 1, 2}, false);
    const SampleAudit audit = auditOf({script});
    CHECK_FALSE(audit.training.at(0).isFinished);
    CHECK(textsOf(audit).at(0) ==
          "training epoch 1: 3 samples: 3 of 10 distinct, 7 not drawn before the script left the epoch");
    CHECK(linesOf(audit).at(0).good);
}

// Lightning stops after the last batch and does not request a further one from the iterator.
TEST_CASE("an iterator that is left after its last batch has read everything", "[audit]") {
    const Json loader = {{"batch_size", 4}, {"sampler", {{"class", "torch.utils.data.sampler.RandomSampler"}}}};
    RecordedScript script = scriptWithRanks(1, 4, loader);
    script.epoch(0, 0, 0, {3, 1, 0}, false);  // one batch: 1 * 4 >= 4
    const EpochAudit epoch = auditOf({script}).training.at(0);
    CHECK(epoch.isFinished);
    CHECK(epoch.never == 1);
    RecordedScript broken = scriptWithRanks(1, 5, loader);
    broken.epoch(0, 0, 0, {3, 1, 0, 2}, false);  // a second batch is missing
    CHECK_FALSE(auditOf({broken}).training.at(0).isFinished);
}

// random_split with a different seed on each rank: the indices of each rank are correct, but the Subsets differ.
TEST_CASE("indices of a Subset are replaced by the indices of the data set inside", "[audit]") {
    RecordedScript script;
    const std::vector<Indices> chosen = {{0, 1, 2, 3}, {2, 3, 4, 5}};
    for (int rank = 0; rank < 2; ++rank) {
        script.process(rank, 2);
        script.loader(rank, 0, subsetOf(4, 7 + rank, listOf(6)));
        script.subset(rank, 7 + rank, chosen[static_cast<std::size_t>(rank)]);
    }
    script.epoch(0, 0, 0, {0, 2});  // samples 0 and 2
    script.epoch(1, 0, 0, {1, 3});  // samples 3 and 5
    const EpochAudit disjoint = auditOf({script}).training.at(0);
    CHECK(disjoint.size == 6);  // size of the union of both Subsets
    CHECK(disjoint.distinct == 4);
    CHECK(disjoint.never == 2);     // 1 and 4
    script.epoch(0, 0, 1, {2, 3});  // samples 2 and 3
    script.epoch(1, 0, 1, {0, 1});  // samples 2 and 3 again
    const EpochAudit overlapping = auditOf({script}).training.at(1);
    CHECK(overlapping.distinct == 2);
    CHECK(overlapping.twice == 2);
    CHECK(overlapping.shared == 2);
    CHECK(overlapping.never == 4);
}

TEST_CASE("subsets without recorded indices are comparable only if they are equal", "[audit]") {
    const auto build = [](const std::string& hashOfSecond) {
        RecordedScript script;
        for (int rank = 0; rank < 2; ++rank) {
            Json dataset = subsetOf(4, 1, listOf(6));
            dataset["indices_sha256"] = rank == 0 ? "a" : hashOfSecond;
            script.process(rank, 2);
            script.loader(rank, 0, dataset);
        }
        script.epoch(0, 0, 0, {0, 1});
        script.epoch(1, 0, 0, {2, 3});
        return auditOf({script}).training.at(0);
    };
    CHECK(build("a").isExact());
    const EpochAudit other = build("b");
    CHECK_FALSE(other.distinct);
    CHECK_FALSE(other.never);
    CHECK(other.why.find("Subset") != std::string::npos);
}

TEST_CASE("validation samples that were trained on are counted through Subsets of one data set", "[audit]") {
    RecordedScript script;
    script.process(0, 1);
    script.loader(0, 0, subsetOf(4, 1, listOf(6, 9)));
    script.subset(0, 1, {0, 1, 2, 3});
    script.loader(0, 1, subsetOf(3, 2, listOf(6, 9)));
    script.subset(0, 2, {3, 4, 5});
    script.epoch(0, 0, 0, {0, 1, 2, 3});
    script.evaluated(0, 1, 0, 0, {0, 1, 2});
    script.passEnd(0, 1, 0, {}, 0);
    const SampleAudit audit = auditOf({script});
    CHECK(audit.validated == 3);
    CHECK(audit.trainedOn == 1);  // sample 3
    REQUIRE(audit.validation.size() == 1);
    CHECK(audit.validation[0].isExact());
    CHECK(audit.validation[0].epoch == 0);
}

// Loaders 0 and 1 read the training set, loader 2 the test set.
TEST_CASE("an evaluation of exactly the training samples is not reported as validation on trained samples", "[audit]") {
    RecordedScript script;
    script.process(0, 1);
    script.loader(0, 0, listOf(4, 1));
    script.loader(0, 1, listOf(4, 1));
    script.loader(0, 2, listOf(2, 2));
    script.epoch(0, 0, 0, {3, 0, 1});
    script.evaluated(0, 1, 0, 0, {0, 1, 2, 3});
    script.passEnd(0, 1, 0, {}, 0);
    script.evaluated(0, 2, 0, 0, {0, 1});
    script.passEnd(0, 2, 0, {}, 0);
    const SampleAudit audit = auditOf({script});
    CHECK(audit.validated == 2);
    CHECK_FALSE(audit.trainedOn);
}

// The lost second batch contained sample 0 again. Without it, the pass seems to be exact.
TEST_CASE("a validation pass with a lost batch is not reported as exact", "[audit]") {
    RecordedScript script;
    script.process(0, 1);
    script.loader(0, 0, listOf(3, 1));
    script.evaluated(0, 0, 0, 0, {0, 1, 2});
    script.fact(0, "pass_end", {{"loader", 0}, {"pass", 0}, {"why", "exhausted"}, {"batches", 2}, {"untrained", 2}});
    const EpochAudit epoch = auditOf({script}).validation.at(0);
    CHECK_FALSE(epoch.isExact());
    CHECK(epoch.why == "the record is incomplete: 1 of the 2 batches of rank 0 were recorded");
}

// In a short run, all reports of one rank can arrive before those of another rank.
TEST_CASE("epochs of small data are counted although a rank is many epochs behind", "[audit]") {
    RecordedScript script = scriptWithRanks(2, 4);
    for (std::int64_t epoch = 0; epoch < 40; ++epoch) script.epoch(0, 0, epoch, {0, 1});
    for (std::int64_t epoch = 0; epoch < 40; ++epoch) script.epoch(1, 0, epoch, {2, 3});
    const SampleAudit audit = auditOf({script});
    REQUIRE(audit.training.size() == 40);
    CHECK(std::ranges::all_of(audit.training, &EpochAudit::isExact));
}

// Rank 1 is four epochs behind rank 0, and its batch of epoch 0 repeats a sample.
TEST_CASE("an epoch whose late batches are not counted is not reported as exact", "[audit]") {
    RecordedScript script = scriptWithRanks(2, (1 << 20) + 1);
    script.epoch(0, 0, 0, {0, 1});
    script.trained(1, 0, 0, {2, 3});
    for (std::int64_t epoch = 1; epoch <= 4; ++epoch) script.epoch(0, 0, epoch, {0, 1});
    script.trained(1, 0, 0, {3});
    script.passEnd(1, 0, 0, 0, 3);
    const SampleAudit audit = auditOf({script});
    CHECK_FALSE(audit.training.at(0).isExact());
    CHECK(audit.training.at(0).why.starts_with("1 batches are not counted"));
}

TEST_CASE("validation samples may be among trained ones that are not recorded", "[audit]") {
    const auto trainedOn = [](std::size_t reported) {
        RecordedScript script;
        script.process(0, 1);
        script.loader(0, 0, subsetOf(4, 1, listOf(6, 9)));
        script.subset(0, 1, {0, 1, 2, 3});
        script.loader(0, 1, subsetOf(2, 2, listOf(6, 9)));
        script.subset(0, 2, {4, 5});
        script.trained(0, 0, 0, {0, 1, 2, 3});
        script.passEnd(0, 0, 0, 0, reported);
        script.evaluated(0, 1, 0, 0, {0, 1});
        script.passEnd(0, 1, 0, {}, 0);
        return auditOf({script}).trainedOn;
    };
    CHECK(trainedOn(4) == 0);
    CHECK_FALSE(trainedOn(5));  // one index is missing
}

TEST_CASE("validation on another data set makes no claim about trained samples", "[audit]") {
    RecordedScript script;
    script.process(0, 1);
    script.loader(0, 0, listOf(3, 1));
    script.loader(0, 1, listOf(3, 2));  // the same class and length, another object
    script.epoch(0, 0, 0, {0, 1, 2});
    script.evaluated(0, 1, 0, 0, {0, 1, 2});
    script.passEnd(0, 1, 0, {}, 0);
    CHECK_FALSE(auditOf({script}).trainedOn);
}

// Each rank has shuffled its list of files itself: the indices of the ranks are disjoint, but the contents are not.
TEST_CASE("contents take precedence over indices that mean different samples on each rank", "[audit]") {
    RecordedScript script;
    const std::vector<Indices> contents = {{100, 101, 102, 103}, {102, 103, 100, 105}};
    for (int rank = 0; rank < 2; ++rank) {
        script.process(rank, 2);
        script.loader(rank, 0, listOf(8, 0));
        const Json sums = contents[static_cast<std::size_t>(rank)];
        script.fact(rank, "content", {{"loader", 0}, {"pass", 0}, {"batch", 0}, {"sample_crc32", sums}});
    }
    script.epoch(0, 0, 0, {0, 2, 4, 6});
    script.epoch(1, 0, 0, {1, 3, 5, 7});
    const EpochAudit epoch = auditOf({script}).training.at(0);
    CHECK(epoch.distinct == 5);  // 100, 101, 102, 103, 105
    CHECK(epoch.twice == 3);
    CHECK(epoch.never == 3);
    CHECK(epoch.why.find("of 8 checked samples, 3 have the same content") != std::string::npos);
    CHECK_FALSE(linesOf(auditOf({script})).at(0).good);  // the cause is not a rule of the sampler
}

TEST_CASE("ranks of one data-parallel group are counted together, groups separately", "[audit]") {
    RecordedScript script = scriptWithRanks(4, 4);
    for (int rank = 0; rank < 4; ++rank) {
        const std::vector<int> ranks = rank % 2 == 0 ? std::vector<int>{0, 2} : std::vector<int>{1, 3};
        script.fact(rank, "data_parallel", {{"kind", "ddp"}, {"ranks", ranks}});
    }
    for (int rank = 0; rank < 4; ++rank) script.epoch(rank, 0, 0, rank < 2 ? Indices{0, 1} : Indices{2, 3});
    const SampleAudit audit = auditOf({script});
    REQUIRE(audit.training.size() == 2);
    CHECK(audit.training[0].isExact());
    CHECK(audit.training[1].isExact());
}

TEST_CASE("a record without some of its indices makes no claim", "[audit]") {
    RecordedScript script = scriptWithRanks(1, 4);
    script.trained(0, 0, 0, {0, 1});
    script.passEnd(0, 0, 0, 0, 4);  // two more were trained
    const EpochAudit epoch = auditOf({script}).training.at(0);
    CHECK_FALSE(epoch.distinct);
    CHECK(epoch.why == "the record is incomplete: 2 of the 4 indices of rank 0 were recorded");
}

// An observation that was lost on the rank is missing in the number of its pass, too.
TEST_CASE("a record with lost observations makes no claim", "[audit]") {
    const auto whyOf = [](const char* about, const Json& facts) {
        RecordedScript script = scriptWithRanks(2, 4);
        script.epoch(0, 0, 0, {0, 1});
        script.epoch(1, 0, 0, {2});  // the batch with sample 3 was lost
        script.fact(1, about, facts);
        const EpochAudit epoch = auditOf({script}).training.at(0);
        CHECK_FALSE(epoch.never);
        CHECK_FALSE(epoch.isExact());
        return epoch.why;
    };
    CHECK(whyOf("hook_failed", {{"hook", "the report"}, {"text", "TypeError"}}) ==
          "the record of rank 1 may be incomplete: a hook that observes the script has failed (the report)");
    CHECK(whyOf("end", {{"steps", 1}, {"dropped_observations", 2}, {"dropped_lines", 1}}) ==
          "the record of rank 1 may be incomplete: 3 observations could not be sent");

    RecordedScript other = scriptWithRanks(2, 4);  // the failed hook does not observe samples
    other.epoch(0, 0, 0, {0, 1});
    other.epoch(1, 0, 0, {2, 3});
    other.fact(1, "hook_failed", {{"hook", "norms of weights and gradients"}, {"text", "TypeError"}});
    CHECK(auditOf({other}).training.at(0).isExact());
}

TEST_CASE("samples without an optimizer step are not reported as trained", "[audit]") {
    RecordedScript script = scriptWithRanks(1, 4);
    script.epoch(0, 0, 0, {0, 1, 2, 3});
    CHECK(auditOf({script}).training.at(0).isExact());
    script.fact(0, "end", {{"steps", 0}});
    CHECK(textsOf(auditOf({script}))
              .at(0)
              .starts_with("training epoch 1: 4 samples; rank 0 has reported no optimizer step"));
}

TEST_CASE("samples of an IterableDataset are counted only", "[audit]") {
    RecordedScript script;
    script.process(0, 1);
    script.loader(0, 0, {{"class", "data.Stream"}, {"object", 0}});
    StepsFrame frame;
    frame.step = {1, 2};
    frame.samples = {32, 8};
    script.events.emplace_back(frame);
    script.passEnd(0, 0, 0, 0, 0);
    const EpochAudit epoch = auditOf({script}).training.at(0);
    CHECK(epoch.assigned == 40);
    CHECK_FALSE(epoch.distinct);
    CHECK(epoch.why == "samples of an IterableDataset have no indices: they are only counted");
}

TEST_CASE("a run that continues an unfinished epoch completes it", "[audit]") {
    RecordedScript first = scriptWithRanks(2, 6);
    first.epoch(0, 0, 0, {0, 2}, false);
    first.epoch(1, 0, 0, {1, 3}, false);
    RecordedScript second = scriptWithRanks(2, 6);
    second.epoch(0, 0, 0, {4});
    second.epoch(1, 0, 0, {5});
    second.epoch(0, 0, 1, {0, 1, 2});
    second.epoch(1, 0, 1, {3, 4, 5});
    const SampleAudit audit = auditOf({first, second});
    REQUIRE(audit.training.size() == 2);
    CHECK(audit.training[0].isExact());
    CHECK(audit.training[0].runs == 2);
    CHECK(audit.training[1].isExact());
    CHECK(audit.training[1].epoch == 1);
}

TEST_CASE("a run that begins an interrupted epoch again trains its first samples twice", "[audit]") {
    RecordedScript first = scriptWithRanks(1, 6);
    first.epoch(0, 0, 0, {0, 1, 2}, false);
    RecordedScript second = scriptWithRanks(1, 6);
    second.epoch(0, 0, 0, {0, 1, 2, 3, 4, 5});
    const SampleAudit audit = auditOf({first, second});
    REQUIRE(audit.training.size() == 1);
    CHECK(audit.training[0].twice == 3);
    CHECK(audit.training[0].never == 0);
}

TEST_CASE("a run that continues with the next epoch leaves the interrupted one incomplete", "[audit]") {
    RecordedScript first = scriptWithRanks(1, 6);
    first.pass(0, 0, 0, 3);
    first.epoch(0, 0, 0, {0, 1, 2}, false);
    RecordedScript second = scriptWithRanks(1, 6);
    second.pass(0, 0, 0, 4);
    second.epoch(0, 0, 0, {0, 1, 2, 3, 4, 5});
    const SampleAudit audit = auditOf({first, second});
    REQUIRE(audit.training.size() == 2);
    CHECK(audit.training[0].isAbandoned);
    CHECK(audit.training[0].never == 3);
    CHECK(audit.training[1].isExact());
    CHECK(textsOf(audit).at(0) ==
          "training epoch 1: 3 samples: 3 of 6 distinct, 3 never trained: the next run began a new epoch instead");
}

// Lightning's sampler still has epoch 0 when the iterator of the resumed epoch is made.
TEST_CASE("a sampler with an earlier epoch continues the interrupted epoch", "[audit]") {
    RecordedScript first = scriptWithRanks(1, 6);
    first.pass(0, 0, 0, 3);
    first.epoch(0, 0, 0, {0, 1, 2}, false);
    RecordedScript second = scriptWithRanks(1, 6);
    second.pass(0, 0, 0, 0);
    second.epoch(0, 0, 0, {3, 4, 5});
    const SampleAudit audit = auditOf({first, second});
    REQUIRE(audit.training.size() == 1);
    CHECK(audit.training[0].isExact());
}

TEST_CASE("a restart of the ranks within a run counts as another run of the chain", "[audit]") {
    RecordedScript script = scriptWithRanks(1, 4);
    script.trained(0, 0, 0, {0, 1});  // the process is then killed, so the pass has no end
    script.process(0, 1);
    script.loader(0, 0, listOf(4));
    script.epoch(0, 0, 0, {2, 3});
    const SampleAudit audit = auditOf({script});
    REQUIRE(audit.training.size() == 1);
    CHECK(audit.training[0].isExact());
    CHECK(audit.training[0].runs == 1);
}

TEST_CASE("invalid facts cause no crash", "[audit]") {
    RecordedScript script = scriptWithRanks(1, 4);
    script.fact(0, "loader", {{"id", -5}, {"dataset", {{"length", "many"}, {"inner", 3}}}, {"sampler", 7}});
    script.fact(0, "subset", {{"object", 1}, {"first", 100}, {"index", {1, "x", -4}}});
    script.fact(0, "pass_end", {{"loader", 0}, {"pass", std::int64_t{1} << 53}, {"epoch", std::int64_t{1} << 53}});
    script.fact(0, "group", {{"group", 0}, {"ranks", {5000, -1}}});
    script.fact(0, "data_parallel", {{"ranks", {77}}});
    script.fact(0, "batch", {{"loader", 0}, {"pass", -1}, {"index", {1, 2}}});
    script.events.emplace_back(ScriptFacts{0, "loader", "{broken", 0});
    script.trained(0, 0, std::int64_t{1} << 50, {0, 1});
    script.trained(0, 0, 0, {3, std::int64_t{1} << 31});
    const SampleAudit audit = auditOf({script});
    CHECK_FALSE(audit.training.empty());
    CHECK(std::ranges::any_of(audit.notes,
                              [](const std::string& note) { return note.find("damaged") != std::string::npos; }));
}

// Compares with a simple count: a map from each sample to its number of draws.
TEST_CASE("random assignments are counted as by brute force", "[audit]") {
    std::mt19937 random(GENERATE(range(0, 60)));
    const auto below = [&](std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(0, most - 1)(random);
    };
    const int ranks = static_cast<int>(1 + below(5));
    const std::int64_t length = 1 + below(60);
    const bool hasSubsets = below(2) == 1;
    RecordedScript script;
    std::vector<Indices> chosen(static_cast<std::size_t>(ranks));
    std::set<std::int64_t> selected;
    for (int rank = 0; rank < ranks; ++rank) {
        script.process(rank, ranks);
        if (!hasSubsets) {
            script.loader(rank, 0, listOf(length));
            continue;
        }
        Indices& own = chosen[static_cast<std::size_t>(rank)];
        own.resize(static_cast<std::size_t>(length));
        std::iota(own.begin(), own.end(), 0);
        std::ranges::shuffle(own, random);
        own.resize(static_cast<std::size_t>(1 + below(length)));
        selected.insert(own.begin(), own.end());
        script.loader(rank, 0, subsetOf(static_cast<std::int64_t>(own.size()), 5, listOf(length)));
        script.subset(rank, 5, own);
    }
    const std::int64_t epochs = 1 + below(5);
    std::vector<std::map<std::int64_t, std::int64_t>> counts(static_cast<std::size_t>(epochs));
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
        for (int rank = 0; rank < ranks; ++rank) {
            const Indices& own = chosen[static_cast<std::size_t>(rank)];
            const std::int64_t size = hasSubsets ? static_cast<std::int64_t>(own.size()) : length;
            Indices drawn(static_cast<std::size_t>(1 + below(2 * size)));
            for (std::int64_t& one : drawn) one = below(size);
            script.epoch(rank, 0, epoch, drawn);
            for (const std::int64_t one : drawn)
                ++counts[static_cast<std::size_t>(epoch)][hasSubsets ? own[static_cast<std::size_t>(one)] : one];
        }
    }
    const SampleAudit audit = auditOf({script});
    REQUIRE(audit.training.size() == static_cast<std::size_t>(epochs));
    for (std::size_t i = 0; i < counts.size(); ++i) {
        const EpochAudit& epoch = audit.training[i];
        std::int64_t assigned = 0, twice = 0;
        for (const auto& [sample, count] : counts[i]) {
            assigned += count;
            twice += count - 1;
        }
        const auto distinct = static_cast<std::int64_t>(counts[i].size());
        CHECK(epoch.assigned == assigned);
        CHECK(epoch.distinct == distinct);
        CHECK(epoch.twice == twice);
        CHECK(epoch.never == (hasSubsets ? static_cast<std::int64_t>(selected.size()) : length) - distinct);
    }
}

TEST_CASE("an audit read back from summary.json is unchanged", "[audit]") {
    RecordedScript script = scriptWithRanks(2, 5);
    script.epoch(0, 0, 0, {0, 1});
    script.epoch(1, 0, 0, {1, 2, 3});
    const Json json = toJson(RunSummary{.samples = summaryOf(auditOf({script}))}).at("samples");
    const Json& epoch = json.at("train").at(0);
    CHECK(epoch.at("assigned") == 5);
    CHECK(epoch.at("distinct") == 4);
    CHECK(epoch.at("twice") == 1);
    CHECK(epoch.at("never") == 1);
    CHECK(epoch.at("per_rank") == Json({2, 3}));
    CHECK(json.at("validated_trained_on").is_null());
    CHECK(json.at("lines").at(0).at("good") == false);
}

TEST_CASE("ten million samples are counted exactly", "[audit]") {
    constexpr std::int64_t kSize = 10'000'000, kPiece = 50'000;
    SampleCounts counts;
    for (std::int64_t first = 0; first < kSize; first += kPiece) {
        for (std::int64_t i = first; i < first + kPiece; ++i)
            counts.add(i * 7 % kSize, static_cast<int>(first / kPiece % 8));
    }
    counts.add(123, 3);
    CHECK(counts.isExact());
    CHECK(counts.distinct() == kSize);  // 7 and 10^7 have no common factor
    CHECK(counts.repeated() == 1);
}

TEST_CASE("samples that do not fit into memory are reported as not exact", "[audit]") {
    SampleCounts counts;
    for (std::int64_t i = 0; i < 60'000; ++i) counts.add(i * 35'000, 0);
    CHECK_FALSE(counts.isExact());
}
