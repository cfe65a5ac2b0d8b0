// SPDX-License-Identifier: Apache-2.0
#include "data/loading/sample_transforms.h"

#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "support/catch.h"

using namespace ringside;

namespace {

// Returns the index of the first sample for which this crop and flip are drawn.
std::int64_t sampleWith(const CropAndFlip& wanted, std::int64_t padding) {
    for (std::int64_t index = 0; index < 100000; ++index)
        if (drawCropAndFlip(0, 0, index, padding) == wanted) return index;
    FAIL("no such sample");
    return -1;
}

// Returns the transformed image. The input has one channel and 2 x 3 pixels with the values 1 to 6.
std::vector<float> transformed(const CropAndFlip& drawn, std::int64_t padding) {
    const SampleShape shape{.channels = 1, .height = 2, .width = 3, .features = 6};
    LoaderConfig config;
    config.randomCropPadding = padding;
    config.horizontalFlip = true;
    const SampleTransforms transforms(config, shape, 0, true);
    std::vector<float> from(6);
    std::iota(from.begin(), from.end(), 1.0F);
    std::vector<float> to(6, -1.0F);
    transforms.cropAndFlip(from, to, 0, sampleWith(drawn, padding));
    return to;
}

}  // namespace

// The expected values come from the formula of docs/experiments.md, written in Python.
TEST_CASE("crops and flips are drawn as documented") {
    CHECK(drawCropAndFlip(0, 0, 0, 4) == CropAndFlip{1, 2, false});
    CHECK(drawCropAndFlip(0, 0, 1, 4) == CropAndFlip{2, 1, false});
    CHECK(drawCropAndFlip(0, 1, 0, 4) == CropAndFlip{5, 4, true});
    CHECK(drawCropAndFlip(7, 3, 1281166, 4) == CropAndFlip{2, 8, true});
    CHECK(drawCropAndFlip(-1, 9999, 12345, 16) == CropAndFlip{19, 2, false});
    CHECK(drawCropAndFlip(INT64_MAX, 0, 5, 1) == CropAndFlip{2, 0, true});
}

TEST_CASE("all crops are equally frequent, and half of the images are mirrored") {
    constexpr int kSamples = 90000;
    std::map<std::pair<std::int64_t, std::int64_t>, int> places;
    int flips = 0;
    for (int index = 0; index < kSamples; ++index) {
        const CropAndFlip drawn = drawCropAndFlip(3, 1, index, 1);
        ++places[{drawn.top, drawn.left}];
        flips += drawn.flip ? 1 : 0;
    }
    CHECK(places.size() == 9);
    // Each of the 9 crops has an expected count of 10,000 with a standard deviation of sqrt(90000 * 8/81) = 94; five
    // standard deviations are allowed.
    for (const auto& [place, count] : places) CHECK(std::abs(count - 10000) < 470);
    CHECK(std::abs(flips - 45000) < 750);  // standard deviation sqrt(90000 / 4) = 150
}

TEST_CASE("a centred crop changes nothing, and any other crop moves the image over black") {
    CHECK(transformed({1, 1, false}, 1) == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(transformed({0, 1, false}, 1) == std::vector<float>{0, 0, 0, 1, 2, 3});
    CHECK(transformed({2, 1, false}, 1) == std::vector<float>{4, 5, 6, 0, 0, 0});
    CHECK(transformed({1, 0, false}, 1) == std::vector<float>{0, 1, 2, 0, 4, 5});
    CHECK(transformed({1, 2, false}, 1) == std::vector<float>{2, 3, 0, 5, 6, 0});
    CHECK(transformed({0, 0, false}, 1) == std::vector<float>{0, 0, 0, 0, 1, 2});
}

TEST_CASE("a flip is applied after the crop") {
    CHECK(transformed({0, 0, true}, 0) == std::vector<float>{3, 2, 1, 6, 5, 4});
    CHECK(transformed({1, 2, true}, 1) == std::vector<float>{0, 3, 2, 0, 6, 5});
}

TEST_CASE("each channel is normalised with its own mean and deviation") {
    const SampleShape shape{.channels = 2, .height = 1, .width = 2, .features = 4};
    SampleTransforms transforms(LoaderConfig{}, shape, 0, true);
    std::vector<float> sample = {1, 2, 3, 4};
    transforms.normalize(sample);
    CHECK(sample == std::vector<float>{1, 2, 3, 4});
    transforms.setScale({{1, 3}, {2, 0.5F}});
    transforms.normalize(sample);
    CHECK(sample == std::vector<float>{0, 0.5F, 0, 2});
}

TEST_CASE("validation samples are neither cropped nor mirrored") {
    LoaderConfig config;
    config.randomCropPadding = 4;
    config.horizontalFlip = true;
    CHECK_FALSE(SampleTransforms(config, {1, 8, 8, 64}, 0, false).cropsOrFlips());
}

TEST_CASE("transforms of images are refused for tables, and crops that could miss the image") {
    LoaderConfig config;
    const SampleShape table{.features = 7};
    const SampleShape image{.channels = 1, .height = 8, .width = 9, .features = 72};
    CHECK(transformProblems(config, table).empty());
    config = {.randomCropPadding = 7, .horizontalFlip = true, .normalize = true};
    CHECK(transformProblems(config, image).empty());
    const Problems problems = transformProblems(config, table);
    REQUIRE(problems.size() == 3);
    CHECK(problems[2].text() ==
          "loader.normalize is true; only images can be transformed, but the samples are rows of numbers: set it to "
          "false");
    config.randomCropPadding = 8;
    REQUIRE(transformProblems(config, image).size() == 1);
    CHECK(transformProblems(config, image).front().text() ==
          "loader.random_crop_padding is 8, but the images are 8 x 9: a crop could contain no pixel of the image: "
          "choose at most 7");
}
