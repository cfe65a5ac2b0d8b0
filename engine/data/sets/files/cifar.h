// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

#include "data/sets/common/array_set.h"

namespace ringside {

// Binary versions of CIFAR-10 and CIFAR-100 (cs.toronto.edu/~kriz/cifar.html). A record is one label byte (CIFAR-100:
// coarse, then fine label; the fine one is used) and 3 x 32 x 32 pixel bytes: the red, then the green, then the blue
// plane.
enum class CifarKind { k10, k100 };

// torchvision.datasets.CIFAR10 and CIFAR100 with the transform ToTensor: loads samples of (3, 32, 32) values from 0 to
// 1 into memory.
//
// If `path` is a .bin file, it contains the training part, and there is no validation part. If `path` is a directory,
// the training part is in its files data_batch_*.bin, in the order of their names, and the validation part in
// test_batch.bin, if this file exists (CIFAR-100: train.bin and test.bin). `path` may also be the parent of
// cifar-10-batches-bin or cifar-100-binary.
//
// Problems: no training files, a file that cannot be read, is empty or ends within a record, a label out of range, a
// part larger than 512 MiB, and a stop request.
Result<DataParts> loadCifar(CifarKind kind, const std::filesystem::path& path, const std::stop_token& stop = {});

// Returns the class names in the order of the labels, in static memory.
std::span<const std::string_view> cifarClassNames(CifarKind kind);

}  // namespace ringside
