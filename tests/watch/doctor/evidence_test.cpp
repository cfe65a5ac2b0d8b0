// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "watch/doctor/reports.h"
#include "watch/evidence/fact_reader.h"

using namespace ringside;
using ringside::testing::Reports;

TEST_CASE("evidence keeps batches by loader and epoch, and pairs contents with indices") {
    Reports reports(2);
    reports.facts("process", R"({"world_size":2,"distributed":true})");
    reports.fact(0, "loader", R"({"id":3,"where":"train.py:12","batch_size":2})");
    reports.fact(0, "pass", R"({"loader":3,"pass":0,"where":"train.py:12","sampler_epoch":7})");
    reports.fact(0, "content", R"({"loader":3,"pass":0,"batch":1,"sample_crc32":[11,12],"label_crc32":[1,2]})");
    reports.trained(0, 3, 0, 1, 0, {4, 0}).trained(0, 3, 0, 1, 2, {6, 2});  // two micro-batches of optimizer step 1

    CHECK(reports.evidence.worldSize() == 2);
    const LoaderEvidence& loader = reports.evidence.find(0)->loaders.at(3);
    CHECK(loader.sourceLine() == "train.py:12");
    CHECK(loader.passes.at(0).samplerEpoch == 7);
    CHECK(loader.epochs.at(0).count() == 4);
    CHECK(loader.epochs.at(0).batches() == 2);
    const auto second = loader.indicesOf(0, 1);
    CHECK(std::vector<std::uint32_t>(second.begin(), second.end()) == std::vector<std::uint32_t>{6, 2});
    CHECK(loader.passes.at(0).contents.at(0).samples == std::vector<std::int64_t>{11, 12});
    CHECK_FALSE(loader.passes.at(0).hasEnded);
}

TEST_CASE("evidence counts indices beyond its budget without keeping them") {
    std::size_t budget = 3;
    IndexList list;
    list.append(1, {0, 1}, budget);
    list.append(2, {2, 3}, budget);
    CHECK(list.count() == 4);
    CHECK(list.all().size() == 2);
    CHECK_FALSE(list.isWhole());
}

TEST_CASE("evidence of a rank is cleared when its process is replaced") {
    Reports reports(1);
    reports.state(0, RankStage::kStarting, 100).fact(0, "optimizer", R"({"id":0})").state(0, RankStage::kTraining);
    CHECK(reports.evidence.find(0)->factsOf("optimizer").size() == 1);
    reports.state(0, RankStage::kStarting, 200);
    CHECK(reports.evidence.find(0)->factsOf("optimizer").empty());
    CHECK(reports.evidence.find(0)->restarts == 1);
    CHECK(reports.evidence.find(0)->pid == 200);
}

TEST_CASE("facts of wrong types count as not reported") {
    Reports reports(1);
    reports.fact(0, "loader", R"({"id":"x"})").fact(0, "loader", R"([1])").fact(0, "pass", R"({"loader":0,"pass":-1})");
    reports.fact(0, "pass_end", R"({"loader":0,"pass":0,"why":5,"trained":null,"epoch":1.5})");
    const RankEvidence& rank = *reports.evidence.find(0);
    CHECK(rank.loaders.size() == 1);
    CHECK(rank.loaders.at(0).passes.at(0).trained == 0);
    CHECK_FALSE(rank.loaders.at(0).passes.at(0).epoch);
    CHECK_FALSE(rank.loaders.at(0).passes.at(0).isExhausted);
    const Json facts = Json::parse(R"({"a":1e300,"b":true,"c":null,"d":[1,"x",2]})");
    CHECK_FALSE(numberOf(facts, "a"));
    CHECK_FALSE(numberOf(facts, "b"));
    CHECK(numberOf(facts, "c", 4) == 4);
    CHECK(numbersOf(facts, "d") == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("a rank is stalled until it reports more than heartbeats") {
    Reports reports(1);
    reports.state(0, RankStage::kTraining, 1, 100)
        .fact(0, "stalled", R"({"for_us":5000000,"phase":"waiting"})", 6000000);
    CHECK(reports.evidence.find(0)->isStalled());
    reports.fact(0, "pass", R"({"loader":0,"pass":0})", 7000000);
    CHECK_FALSE(reports.evidence.find(0)->isStalled());
}

TEST_CASE("a rank that fails before its first step evaluates no loader") {
    Reports reports(1);
    reports.facts("loader", R"({"id":0,"class":"DataLoader","batch_size":2})");
    reports.facts("batch", R"({"loader":0,"pass":0,"batch":0,"index":[0,1]})");
    const auto evaluates = [&] {
        const RankEvidence& rank = *reports.evidence.find(0);
        return rank.evaluates(rank.loaders.at(0));
    };
    CHECK(evaluates());
    reports.facts("exception", R"({"type":"RuntimeError","text":"no"})");
    CHECK_FALSE(evaluates());
}
