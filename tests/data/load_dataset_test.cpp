// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/crypto/sha256.h"
#include "base/system/files.h"
#include "data/sets/builtin/digits_dataset.h"
#include "data/sets/common/dataset.h"
#include "data/sets/common/standardize.h"
#include "data/sets/common/subset_dataset.h"
#include "data/sets/synthetic/synthetic_dataset.h"
#include "support/catch.h"
#include "support/goldens.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

std::vector<float> featuresOf(const Dataset& dataset, std::int64_t index) {
    std::vector<float> values(static_cast<std::size_t>(dataset.shape().features));
    dataset.features(index, values);
    return values;
}

}  // namespace

TEST_CASE("the built-in digits are the published file") {
    const SampleTable digits = loadDigits();
    std::string text;
    for (std::size_t i = 0; i < 1797; ++i) {
        for (std::size_t k = 0; k < 64; ++k)
            text += std::to_string(std::lround(digits.features[i * 64 + k] * 16)) + ",";
        text += std::to_string(digits.labels[i]) + "\n";
    }
    Sha256 sum;
    sum.add(std::as_bytes(std::span(text)));
    CHECK(sum.hex() == "6ebb3d2fee246a4e99363262ddf8a00a3c41bee6014c373ed9d9216ba7f651b8");
}

TEST_CASE("the digits are split into 1,437 and 360 by randperm(1797)") {
    const DataSplit split = loadDataset(DatasetConfig{}).value();
    CHECK(split.summary == "1,437 training, 360 validation samples, 8 x 8");
    CHECK(split.training->size() == 1437);
    CHECK(split.validation->size() == 360);
    CHECK(split.training->classCount() == 10);
    CHECK(split.training->targetCount() == 0);
    CHECK(split.training->className(7) == "7");
    CHECK(split.training->shape().isImage());
    CHECK(featuresOf(*split.training, 3).size() == 64);
}

TEST_CASE("synthetic data are torch.randn's numbers, features before targets") {
    const Json& golden = ringside::testing::goldens()["randn_f32_sha256"][0];
    REQUIRE((golden["seed"] == 0 && golden["n"] == 1000));
    const SampleTable table = makeSynthetic({.size = 100, .features = 10, .targets = 3, .seed = 0});
    Sha256 sum;
    sum.add(std::as_bytes(std::span(table.features)));
    CHECK(sum.hex() == golden["sha256"].get<std::string>());
    CHECK(table.targets.size() == 300);

    DatasetConfig config;
    config.kind = DatasetKind::kSynthetic;
    const DataSplit split = loadDataset(config).value();
    CHECK(split.summary == "819 training, 205 validation samples, 10 features");
    CHECK(split.training->targetCount() == 10);
    CHECK(split.training->classCount() == 0);
}

TEST_CASE("a validation fraction is rounded up and leaves both parts at least one sample") {
    const auto sizes = [](std::int64_t size, double fraction) {
        DatasetConfig config{.kind = DatasetKind::kSynthetic, .validationFraction = fraction, .size = size};
        const DataSplit split = loadDataset(config).value();
        return std::pair(split.training->size(), split.validation->size());
    };
    CHECK(sizes(30, 0.1) == std::pair<std::int64_t, std::int64_t>(27, 3));
    CHECK(sizes(31, 0.1) == std::pair<std::int64_t, std::int64_t>(27, 4));
    CHECK(sizes(2, 0.001) == std::pair<std::int64_t, std::int64_t>(1, 1));
    CHECK(sizes(2, 0.9) == std::pair<std::int64_t, std::int64_t>(1, 1));
}

TEST_CASE("standardised features have mean 0 and variance 1 over the training rows") {
    // Rows 0 and 1 are training samples. Their first feature has the values 2 and 6: mean 4, deviation 2. The second
    // feature is constant there.
    SampleTable table{.size = 3, .shape = {.features = 2}, .features = {2, 7, 6, 7, 10, 9}, .labels = {0, 0, 0}};
    const std::vector<std::uint32_t> rows = {0, 1};
    standardize(table, rows);
    CHECK(table.features == std::vector<float>{-1, 0, 1, 0, 3, 2});
}

TEST_CASE("a CSV file is found relative to the experiment and standardised") {
    const TemporaryDirectory directory;
    writeFileAtomically(directory.path() / "table.csv", "1,a\n2,b\n3,a\n4,b\n5,a\n");
    DatasetConfig config;
    config.kind = DatasetKind::kCsv;
    config.path = "table.csv";
    const DataSplit split = loadDataset(config, directory.path()).value();
    CHECK(split.summary == "4 training, 1 validation samples, 1 feature");
    double sum = 0;
    double squares = 0;
    for (std::int64_t i = 0; i < 4; ++i) {
        const double value = featuresOf(*split.training, i).front();
        sum += value;
        squares += value * value;
    }
    CHECK(sum == Approx(0).margin(1e-6));
    CHECK(squares == Approx(4));
}

TEST_CASE("a table keeps its columns and original values") {
    const TemporaryDirectory directory;
    writeFileAtomically(directory.path() / "table.csv", "age,height,y\n1,20,0\n3,40,1\n5,60,0\n7,80,1\n9,100,0\n");
    const DataSplit split = loadDataset({.kind = DatasetKind::kCsv, .path = "table.csv"}, directory.path()).value();
    CHECK(split.training->featureName(0) == "age");
    CHECK(split.training->featureName(1) == "height");
    for (std::int64_t i = 0; i < split.training->size(); ++i) {
        const std::vector<float> values = featuresOf(*split.training, i);
        const double age = split.training->unscaled(0, values[0]);
        CHECK(split.training->unscaled(1, values[1]) == Approx(10 * age + 10).epsilon(1e-5));
    }
    CHECK(loadDataset({}).value().training->featureName(0).empty());
}

TEST_CASE("the summary reports the treatment of missing values") {
    const TemporaryDirectory directory;
    writeFileAtomically(directory.path() / "table.csv", "1,0\n?,1\n5,0\n7,1\n9,0\n11,1\n");
    DatasetConfig config{.kind = DatasetKind::kCsv, .path = "table.csv", .missing = MissingCells::kDrop};
    CHECK(loadDataset(config, directory.path()).value().summary ==
          "4 training, 1 validation samples, 1 feature, 1 row with a missing value left out");
    config.missing = MissingCells::kMean;
    CHECK(loadDataset(config, directory.path()).value().summary ==
          "4 training, 2 validation samples, 1 feature, 1 missing value set to the column's mean");
    config.missing = MissingCells::kRefuse;
    CHECK_FALSE(loadDataset(config, directory.path()).ok());
}

TEST_CASE("a subset has the samples of the whole data set") {
    const auto whole = std::make_shared<MemoryDataset>(loadDigits());
    const SubsetDataset subset(whole, {5, 0, 1796});
    CHECK(subset.size() == 3);
    CHECK(subset.label(0) == whole->label(5));
    CHECK(featuresOf(subset, 2) == featuresOf(*whole, 1796));
}
