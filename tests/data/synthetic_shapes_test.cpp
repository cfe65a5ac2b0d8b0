// SPDX-License-Identifier: Apache-2.0
#include "data/sets/synthetic/synthetic_shapes.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/raw_file.h"
#include "support/catch.h"
#include "support/choices.h"

using namespace ringside;
using namespace ringside::testing;

namespace {

DatasetConfig shaped(const std::string& shape) {
    DatasetConfig config;
    config.kind = DatasetKind::kSynthetic;
    choose(config.shape, shape);
    config.size = 300;
    config.features = 4;
    return config;
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

}  // namespace

TEST_CASE("blobs lie around one centre per class and depend only on the seed") {
    DatasetConfig config = shaped("blobs");
    config.size = 3000;
    const SampleTable blobs = makeClasses(config);
    CHECK(blobs.labels[4] == 1);
    CHECK(blobs.classNames.size() == 3);
    // Within each class every feature has variance 1: 1,000 samples estimate it to within 0.2.
    for (std::size_t k = 0; k < 3; ++k) {
        double mean = 0;
        double square = 0;
        for (std::size_t i = k; i < 3000; i += 3) {
            mean += blobs.features[i * 4] / 1000.0;
            square += blobs.features[i * 4] * blobs.features[i * 4] / 1000.0;
        }
        CHECK(square - mean * mean == Approx(1).margin(0.2));
    }
    CHECK(makeClasses(config).features == blobs.features);
    config.seed = 1;
    CHECK(makeClasses(config).features != blobs.features);
}

TEST_CASE("the arms of the spirals end on the unit circle, equally far apart") {
    const SampleTable spirals = makeClasses(shaped("spirals"));
    CHECK(spirals.shape.features == 2);
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t last = 297 + k;
        REQUIRE(spirals.labels[last] == static_cast<std::int32_t>(k));
        const double angle = 2 * 3.14159265358979 * (static_cast<double>(k) / 3 + 1.5);
        CHECK(spirals.features[2 * last] == Approx(std::cos(angle)).margin(0.2));
        CHECK(spirals.features[2 * last + 1] == Approx(std::sin(angle)).margin(0.2));
    }
}

TEST_CASE("imbalanced class sizes fall to a hundredth and add up") {
    CHECK(imbalancedSizes(10, 10) == std::vector<std::int64_t>(10, 1));
    // Each class gets one sample first. The other 1,107 are divided in the ratio 1 : 0.1 : 0.01, which gives 997.3,
    // 99.7 and 9.97; the two samples that rounding down leaves go to the first two classes.
    CHECK(imbalancedSizes(1110, 3) == std::vector<std::int64_t>{999, 101, 10});
    for (const std::int64_t size : {100, 1024, 99991}) CHECK(sum(imbalancedSizes(size, 100)) == size);
    const SampleTable table = makeClasses(shaped("imbalanced"));
    CHECK(table.labels.size() == 300);
    CHECK(std::ranges::is_sorted(table.labels));
}

TEST_CASE("the ImageNet-shaped set has ImageNet's numbers") {
    for (const std::int64_t seed : {0, 7}) {
        const auto sizes = imagenetClassSizes(seed);
        CHECK(sum(sizes) == 1281167);
        CHECK(std::ranges::min(sizes) == 732);
        CHECK(std::ranges::count(sizes, 1300) == 895);
        CHECK(std::ranges::max(sizes) == 1300);
    }
    DatasetConfig config = shaped("imagenet");
    config.imageSize = 8;
    const DataSplit split = loadDataset(config).value();
    CHECK(split.summary == "1,281,167 training, 50,000 validation samples, 3 x 8 x 8, as split by the data set");
    CHECK(split.training->label(0) == 0);
    CHECK(split.training->label(1281166) == 999);
    CHECK(split.validation->label(49) == 0);
    CHECK(split.validation->label(50) == 1);
}

TEST_CASE("ImageNet-shaped images are generated independently, similar within a class and never equal") {
    const DataParts set = makeImagenetShaped(3, 16);
    const auto first = featuresOf(*set.training, 1000000);
    CHECK(featuresOf(*set.training, 5) != first);
    CHECK(featuresOf(*set.training, 1000000) == first);
    CHECK(featuresOf(*set.validation, 5) != featuresOf(*set.training, 5));
    CHECK(std::ranges::min(first) >= 0);
    CHECK(std::ranges::max(first) <= 1);
    CHECK(makeImagenetShaped(4, 16).training->size() == 1281167);
    CHECK(featuresOf(*makeImagenetShaped(4, 16).training, 5) != featuresOf(*set.training, 5));
}
