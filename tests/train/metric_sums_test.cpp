// SPDX-License-Identifier: Apache-2.0
#include "train/interfaces/metric_sums.h"

#include <cmath>

#include "support/catch.h"

using namespace ringside;

TEST_CASE("duplicates count in the padded mean and not in the exact one") {
    const std::vector<float> loss{1, 2, 6};
    const std::vector<float> correct{1, 0, 1};
    MetricSums sums;
    sums.add({loss, correct}, 2);  // only the first 2 of the samples count; the third one is padding
    CHECK(sums.loss() == 1.5);
    CHECK(sums.accuracy() == 0.5);
    CHECK(sums.samples() == 2);
    CHECK(sums.lossPadded() == 3);
    CHECK(sums.accuracyPadded() == Approx(2.0 / 3));
    CHECK(sums.samplesPadded() == 3);
}

TEST_CASE("a mean over no samples is not a number") {
    CHECK(std::isnan(MetricSums().loss()));
    CHECK(MetricSums().samples() == 0);
}

TEST_CASE("batches with a non-finite loss are counted") {
    const float none = std::nanf("");
    const std::vector<float> broken{1, none};
    const std::vector<float> good{1, 2};
    MetricSums sums;
    sums.add({broken, {}}, 1);  // a loss that is not finite counts also if its sample is padding
    sums.add({good, {}}, 2);
    CHECK(sums.nonFiniteBatches() == 1);
    CHECK(sums.loss() == Approx(4.0 / 3));
}
