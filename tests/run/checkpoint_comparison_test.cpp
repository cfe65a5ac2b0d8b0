// SPDX-License-Identifier: Apache-2.0
#include "run/read/checkpoint_comparison.h"

#include <cmath>
#include <cstring>

#include "base/system/files.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "support/catch.h"
#include "support/stored_tensors.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

std::string storedBytes(const std::vector<float>& values) {
    std::string bytes(values.size() * sizeof(float), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

// Run directory with checkpoints.
struct Run {
    TemporaryDirectory directory;

    void save(std::int64_t step, const std::vector<StoredTensor>& tensors) const {
        const auto folder = directory.path() / "checkpoints" / ("any-name-" + std::to_string(step));
        std::filesystem::create_directories(folder);
        writeFileAtomically(folder / kWeightsName, encodeSafetensors(tensors, {}));
        CheckpointManifest manifest;
        manifest.step = step;
        manifest.model = "Sequential";
        writeFileAtomically(folder / kManifestName, manifest.toJson().dump());
    }
    void save(std::int64_t step, const std::vector<float>& weight, const std::vector<float>& bias) const {
        save(step, {{.name = "0.weight", .shape = {2}, .bytes = storedBytes(weight)},
                    {.name = "0.bias", .shape = {1}, .bytes = storedBytes(bias)}});
    }
};

CheckpointComparison compared(const Run& a, const Run& b) {
    const Result<CheckpointComparison> result = compareCheckpoints(a.directory.path(), b.directory.path(), 1e-4);
    REQUIRE(result);
    return result.value();
}

}  // namespace

TEST_CASE("checkpoints whose weights differ by rounding only are equal") {
    const Run a, b;
    a.save(4, {1.0F, -2.0F}, {0.5F});
    b.save(4, {1.0F, -2.0F - 0x1p-14F}, {0.5F});  // a difference that float32 represents exactly
    b.save(8, {9.0F, 9.0F}, {9.0F});              // A has no checkpoint of this step
    const CheckpointComparison c = compared(a, b);
    CHECK(c.equal());
    CHECK(c.steps == std::vector<std::int64_t>{4});
    CHECK(c.tensors == 2);
    // 2^-14 of the largest value of the tensor
    CHECK_THAT(c.largest, Catch::Matchers::WithinRel(0x1p-14 / (2.0 + 0x1p-14), 1e-9));
}

TEST_CASE("the first step and tensor that differ are named with their ratio") {
    const Run a, b;
    a.save(4, {1.0F, 2.0F}, {0.5F});
    b.save(4, {1.0F, 2.0F}, {0.5F});
    a.save(8, {3.0F, 4.0F}, {2.0F});
    b.save(8, {1.5F, 2.0F}, {2.0F});
    a.save(12, {0.0F, 0.0F}, {0.0F});
    b.save(12, {1.0F, 1.0F}, {1.0F});
    const CheckpointComparison c = compared(a, b);
    CHECK_FALSE(c.equal());
    REQUIRE(c.first);
    CHECK(c.first->step == 8);
    CHECK(c.first->name == "0.weight");
    CHECK(c.first->ratio == 0.5);     // norms 5 and 2.5
    CHECK(c.first->relative == 0.5);  // 4 and 2
    CHECK(c.differing == 1);
    CHECK(c.steps == std::vector<std::int64_t>{4, 8});
}

TEST_CASE("a weight that is not a number in one run differs, and in both runs is equal") {
    const Run a, b, other;
    a.save(1, {NAN, 1.0F}, {1.0F});
    b.save(1, {NAN, 1.0F}, {1.0F});
    other.save(1, {0.0F, 1.0F}, {1.0F});
    CHECK(compared(a, b).equal());
    CHECK_FALSE(compared(a, other).equal());
    CHECK(std::isinf(compared(a, other).first->relative));
}

TEST_CASE("tensors of one run only and of another shape are never called equal") {
    const Run a, b, c;
    a.save(1, {1.0F, 1.0F}, {1.0F});
    b.save(1, {{.name = "0.weight", .shape = {2}, .bytes = storedBytes({1.0F, 1.0F})}});
    c.save(1, {{.name = "0.weight", .shape = {2, 1}, .bytes = storedBytes({1.0F, 1.0F})},
               {.name = "0.bias", .shape = {1}, .bytes = storedBytes({1.0F})}});
    CHECK_FALSE(compared(a, b).equal());
    CHECK(compared(a, b).notCompared == std::vector<std::string>{"0.bias of step 1 is missing in run B"});
    CHECK(compared(b, a).notCompared == std::vector<std::string>{"0.bias of step 1 is missing in run A"});
    CHECK(compared(a, c).notCompared ==
          std::vector<std::string>{"0.weight of step 1 has another type or shape in run B than in run A"});
}

TEST_CASE("runs without a checkpoint of the same step are not equal, and a damaged file is a problem") {
    const Run a, b;
    a.save(1, {1.0F, 1.0F}, {1.0F});
    b.save(2, {1.0F, 1.0F}, {1.0F});
    CHECK_FALSE(compared(a, b).equal());
    CHECK(compared(a, b).tensors == 0);
    b.save(1, {1.0F, 1.0F}, {1.0F});
    writeFileAtomically(b.directory.path() / "checkpoints" / "any-name-1" / kWeightsName, "damaged");
    CHECK_FALSE(compareCheckpoints(a.directory.path(), b.directory.path(), 1e-4));
}
