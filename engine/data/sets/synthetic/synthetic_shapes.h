// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>

#include "data/sets/common/array_set.h"
#include "data/sets/common/memory_dataset.h"

namespace ringside {

// Returns a synthetic set with classes in the shape dataset.shape. The same seed gives the same samples. After a stop
// request on `stop` it soon returns an incomplete table.
//   blobs       one round cloud per class, standard deviation 1, centres drawn with 3; sample i has class i mod classes
//   spirals     two features; one arm per class, from the origin one and a half turns outwards; classes as for blobs
//   imbalanced  blobs whose largest class is 100 times the smallest, sizes falling geometrically; sorted by class
SampleTable makeClasses(const DatasetConfig& config, const std::stop_token& stop = {});

// Returns the class sizes of `imbalanced`: proportional to 100^(-k / (classes - 1)), at least 1, with the sum `size`.
std::vector<std::int64_t> imbalancedSizes(std::int64_t size, std::int64_t classes);

inline constexpr std::int64_t kImagenetTraining = 1281167;
inline constexpr std::int64_t kImagenetValidation = 50000;
inline constexpr std::int64_t kImagenetClasses = 1000;

// Returns the shape `imagenet`, with the numbers of samples and classes of ImageNet (ILSVRC 2012): 1,281,167 training
// samples, 732 to 1,300 per class, sorted by class as in ImageFolder, and 50 validation samples per class. Each image
// (square, RGB) is computed on access: stripes that depend on the class, with a shift and noise that depend on the
// sample.
DataParts makeImagenetShaped(std::int64_t seed, std::int64_t imageSize);

// Returns the number of training samples of each class. 105 classes, chosen by the seed, have fewer than 1,300.
std::vector<std::int64_t> imagenetClassSizes(std::int64_t seed);

}  // namespace ringside
