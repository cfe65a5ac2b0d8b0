// SPDX-License-Identifier: Apache-2.0
#include "watch/compare/tensor_comparison.h"

#include <filesystem>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/places.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Reads a record of real PyTorch from tests/watch/tensors/recorded.
TensorRecord recorded(const std::string& name) {
    const TemporaryDirectory run;
    fs::copy_file(sourceFile("tests/watch/tensors/recorded/" + name + ".jsonl"), run.path() / "telemetry.jsonl");
    return readTensorRecord(run.path()).value();
}

void addFact(TensorRecord& record, int rank, const char* about, const Json& facts) {
    record.add(ScriptFacts{rank, about, facts.dump(), 0});
}

Json tensorsAt(std::int64_t step, const std::vector<double>& gradients) {
    Json facts = {{"optimizer", 0}, {"step", step}, {"left_out", 0}, {"names", {"a", "b"}}, {"sizes", {4, 4}}};
    facts["norm"] = {1.0, 2.0};
    facts["sum"] = {1.0, 2.0};
    facts["gradient_norm"] = gradients;
    facts["gradient_sum"] = {0.5, 0.5};
    return facts;
}

TensorRecord recordOf(int ranks, const std::vector<double>& gradients) {
    TensorRecord record;
    addFact(record, 0, "process", {{"world_size", ranks}});
    addFact(record, 0, "tensors", tensorsAt(1, gradients));
    return record;
}

}  // namespace

TEST_CASE("one process and two processes of PyTorch have equal tensors", "[tensors]") {
    const TensorComparison result = compareTensors(recorded("one_process"), recorded("two_processes"), 1e-4);
    CHECK(result.equal());
    CHECK(result.tensors == 5);
    CHECK(result.steps.size() == 5);  // the start and 1, 2, 4, 8
    CHECK_FALSE(result.otherSamples);
    CHECK(result.notCompared.empty());
    CHECK(result.ranksOfB == 2);
}

// The recorded script divides one gradient by the number of ranks a second time.
TEST_CASE("a gradient that PyTorch has divided twice is named with its ratio", "[tensors]") {
    const TensorComparison result = compareTensors(recorded("one_process"), recorded("one_gradient_divided"), 1e-4);
    REQUIRE(result.first);
    CHECK(result.first->at.step == 1);
    CHECK(result.first->name == "scale");
    CHECK(result.first->isGradient);
    CHECK(result.first->factor == -2);
    CHECK(result.differing == 1);
    CHECK(result.text().find("B's is 1/2 of A's (1/W with W = 2 ranks)") != std::string::npos);
    CHECK(result.toJson().at("first").at("ratio").get<double>() == Approx(0.5).epsilon(1e-4));
    const TensorComparison reversed = compareTensors(recorded("one_gradient_divided"), recorded("one_process"), 1e-4);
    CHECK(reversed.first->factor == 2);
}

TEST_CASE("a difference whose ratio is not a number of ranks has no factor", "[tensors]") {
    const TensorComparison result = compareTensors(recordOf(1, {1, 2}), recordOf(4, {1, 2.5}), 1e-4);
    REQUIRE(result.first);
    CHECK(result.first->name == "b");
    CHECK_FALSE(result.first->factor);
    CHECK(result.first->relative == Approx(0.2));
}

TEST_CASE("tensors of equal norm differ if their sums differ", "[tensors]") {
    TensorRecord b = recordOf(1, {1, 2});
    Json other = tensorsAt(1, {1, 2});
    other["gradient_sum"] = {-0.5, 0.5};
    addFact(b, 0, "tensors", other);
    const TensorComparison result = compareTensors(recordOf(1, {1, 2}), b, 1e-4);
    REQUIRE(result.first);
    CHECK(result.first->name == "a");
    CHECK(result.first->relative == Approx(0.5));  // |-0.5 - 0.5| / (1 * sqrt(4))
}

TEST_CASE("gradients that are rounding only are not compared", "[tensors]") {
    TensorRecord a = recordOf(1, {1, 2}), b = recordOf(2, {1, 2});
    Json noiseOfA = tensorsAt(2, {1, 1e-8}), noiseOfB = tensorsAt(2, {1, 3e-8});
    noiseOfA["gradient_sum"] = {0.5, 1e-9};
    noiseOfB["gradient_sum"] = {0.5, -1e-9};
    addFact(a, 0, "tensors", noiseOfA);
    addFact(b, 0, "tensors", noiseOfB);
    CHECK(compareTensors(a, b, 1e-4).equal());
}

TEST_CASE("tensors after a restart of the ranks are not compared", "[tensors]") {
    TensorRecord a = recordOf(1, {1, 2}), b = recordOf(1, {1, 2});
    addFact(a, 0, "tensors", tensorsAt(4, {1, 2}));
    addFact(b, 0, "tensors", tensorsAt(4, {3, 2}));  // step 2 after a restart that came after step 2
    CHECK(compareTensors(a, b, 1e-4).first->at.step == 4);
    const TensorComparison result = compareTensors(a, b, 1e-4, 2);
    CHECK_FALSE(result.first);
    CHECK(result.steps.size() == 1);
    CHECK(result.text().find("tensors after step 2: the ranks of a run were restarted") != std::string::npos);
}

TEST_CASE("gradients that differ between the ranks of a run are not compared", "[tensors]") {
    TensorRecord b = recordOf(2, {1, 2});
    addFact(b, 1, "tensors", tensorsAt(1, {1, 3}));
    const TensorComparison result = compareTensors(recordOf(1, {7, 8}), b, 1e-4);
    CHECK_FALSE(result.first);  // the weights are equal
    REQUIRE(result.notCompared.size() == 2);
    CHECK(result.notCompared[0].find("does not average them") != std::string::npos);
    CHECK(result.text().find(" 2 weights are equal within") != std::string::npos);
    CHECK(compareTensors(recordOf(1, {1, 2}), recordOf(1, {1, 2}), 1e-4).text().find("averaged gradients are equal") !=
          std::string::npos);
}

TEST_CASE("weights that are not finite are not reported as equal", "[tensors]") {
    TensorRecord record;
    Json facts = tensorsAt(1, {1, 2});
    facts["norm"] = facts["sum"] = {nullptr, nullptr};
    addFact(record, 0, "tensors", facts);
    const TensorComparison result = compareTensors(record, record, 1e-4);
    CHECK_FALSE(result.equal());
    CHECK(result.notCompared.front() == "weights: no weight tensor has finite values in both runs");
}

TEST_CASE("steps that trained on other samples are named", "[tensors]") {
    TensorRecord a = recordOf(1, {1, 2}), b = recordOf(2, {1, 2});
    a.add(ConsumedIndices{0, 0, 1, 0, {1, 2, 3, 4}});
    b.add(ConsumedIndices{0, 0, 1, 0, {3, 1}});
    b.add(ConsumedIndices{1, 0, 1, 0, {4, 2}});
    CHECK_FALSE(compareTensors(a, b, 1e-4).otherSamples);  // the same samples on other ranks
    b.add(ConsumedIndices{1, 0, 1, 2, {4}});
    CHECK(compareTensors(a, b, 1e-4).otherSamples == 1);
}

TEST_CASE("an impossible comparison gives the reason", "[tensors]") {
    const TensorComparison none = compareTensors(TensorRecord(), recordOf(1, {1, 2}), 1e-4);
    CHECK_FALSE(none.equal());
    CHECK(none.notCompared == std::vector<std::string>{"tensors: A is not a watched run"});
    TensorRecord other;
    addFact(other, 0, "tensors",
            {{"optimizer", 0},
             {"step", 1},
             {"names", {"a"}},
             {"sizes", {9}},
             {"norm", {1}},
             {"sum", {1}},
             {"gradient_norm", {1}},
             {"gradient_sum", {1}}});
    const TensorComparison shapes = compareTensors(other, recordOf(1, {1, 2}), 1e-4);
    REQUIRE(shapes.notCompared.size() == 1);
    CHECK(shapes.notCompared[0].find("different sizes") != std::string::npos);
}

TEST_CASE("damaged facts about tensors are counted and skipped", "[tensors]") {
    TensorRecord record = recordOf(1, {1, 2});
    Json shortened = tensorsAt(2, {1});
    addFact(record, 0, "tensors", shortened);
    addFact(record, 0, "tensors", {{"step", -1}, {"names", 3}});
    record.add(ScriptFacts{0, "tensors", "{", 0});
    CHECK(record.badFacts() == 3);
    CHECK(record.checks().size() == 1);
    CHECK(compareTensors(record, recordOf(1, {1, 2}), 1e-4).equal());
}
