// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "data/sets/common/array_set.h"

namespace ringside {

// Binary versions of CIFAR-10 and CIFAR-100 (cs.toronto.edu/~kriz/cifar.html). A record is one label byte (CIFAR-100:
// coarse, then fine label; the fine one is used) and 3 x 32 x 32 pixel bytes, red plane first.
enum class CifarKind { k10, k100 };

// Loads a .bin file or a directory. Of a directory data_batch_*.bin, in the order of their names, are the training part
// and test_batch.bin the validation part (CIFAR-100: train.bin, test.bin). `path` may also be the parent of
// cifar-10-batches-bin or cifar-100-binary.
Result<DataParts> loadCifar(CifarKind kind, const std::filesystem::path& path, const std::stop_token& stop = {});

// Returns the class names in the order of the labels.
std::span<const std::string_view> cifarClassNames(CifarKind kind);

}  // namespace ringside
