// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "base/errors/result.h"

namespace ringside {

inline constexpr std::size_t kMaxImageFiles = std::size_t{1} << 24;
inline constexpr std::size_t kMaxFolderClasses = 100000;

// One folder per class, in the order of torchvision's ImageFolder, so that sample numbers agree: classes sorted by
// name; in each, folders sorted by their whole path as os.walk names them, then file names; links are followed.
struct ImageFolderListing {
    std::filesystem::path root;
    std::vector<std::string> classes;
    std::vector<std::string> files;  // relative to root
    std::vector<std::int32_t> labels;
};

// Problems: not a directory, no class folders, a class without images, an image format that is not read, folders that
// cannot be read or link back to a folder above them.
Result<ImageFolderListing> listImageFolder(const std::filesystem::path& root, const std::stop_token& stop = {});

}  // namespace ringside
