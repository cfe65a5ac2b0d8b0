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

// Image files in one folder per class. The order is that of torchvision's ImageFolder, so that sample indices agree:
// classes sorted by name; within a class folders sorted by the full path that os.walk reports, then file names.
// Symbolic links are followed.
struct ImageFolderListing {
    std::filesystem::path root;
    std::vector<std::string> classes;
    std::vector<std::string> files;  // paths of the images, relative to root
    std::vector<std::int32_t> labels;
};

// Lists the images below `root`. Problems: not a directory, no class folders, a class without images, an image format
// that is not supported, folders that cannot be read or that link to a folder above them.
Result<ImageFolderListing> listImageFolder(const std::filesystem::path& root, const std::stop_token& stop = {});

}  // namespace ringside
