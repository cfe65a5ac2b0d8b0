// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "data/sets/common/array_set.h"
#include "data/sets/common/memory_dataset.h"

namespace ringside {

// dataset.shape of a synthetic set with classes; the same seed gives the same samples.
//   blobs       one round cloud per class, standard deviation 1, centres drawn with 3; sample i has class i mod classes
//   spirals     two features; one arm per class, from the origin one and a half turns outwards; classes as above
//   imbalanced  blobs whose largest class is 100 times the smallest, sizes falling geometrically; sorted by class
// When `stop` is asked for, what comes back soon is not the whole of it.
SampleTable makeClasses(const DatasetConfig& config, const std::stop_token& stop = {});

// Samples of each class of `imbalanced`: proportional to 100^(-k / (classes - 1)), at least 1, their sum is size.
std::vector<std::int64_t> imbalancedSizes(std::int64_t size, std::int64_t classes);

inline constexpr std::int64_t kImagenetTraining = 1281167;
inline constexpr std::int64_t kImagenetValidation = 50000;
inline constexpr std::int64_t kImagenetClasses = 1000;

// The shape `imagenet`: as many samples and classes as ImageNet (ILSVRC 2012) has: 1,281,167 to train, 732 to 1,300 of
// each class, sorted by class as ImageFolder has them, and 50 of each class to validate. Each image (RGB, square) is
// computed when asked for: stripes that belong to the class, shifted and with noise by sample.
DataParts makeImagenetShaped(std::int64_t seed, std::int64_t imageSize);

// Training samples of each class: 105 classes, chosen by the seed, have fewer than 1,300.
std::vector<std::int64_t> imagenetClassSizes(std::int64_t seed);

}  // namespace ringside
