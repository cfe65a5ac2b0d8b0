// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "data/sets/common/array_set.h"

namespace ringside {

// The binary versions of CIFAR-10 and CIFAR-100 (cs.toronto.edu/~kriz/cifar.html): records of one label byte
// (CIFAR-100: coarse, then fine; the fine one counts) and 3 x 32 x 32 pixel bytes, red plane first.
enum class CifarKind { k10, k100 };

// path is one .bin file, or the directory: data_batch_*.bin in the order of their names train and test_batch.bin
// validates (CIFAR-100: train.bin, test.bin). A directory that holds cifar-10-batches-bin or cifar-100-binary will do.
Result<DataParts> loadCifar(CifarKind kind, const std::filesystem::path& path, const std::stop_token& stop = {});

std::span<const std::string_view> cifarClassNames(CifarKind kind);

}  // namespace ringside
