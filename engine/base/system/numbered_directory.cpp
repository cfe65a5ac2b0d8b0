// SPDX-License-Identifier: Apache-2.0
#include "base/system/numbered_directory.h"

#include <sys/stat.h>

#include <cerrno>
#include <string>

#include "base/system/files.h"

namespace ringside {
namespace {

constexpr int kMaxNumbers = 10000;

Problem cannotCreate(const std::filesystem::path& path, int error) {
    return {path.string(), "cannot be created (" + errnoText(error) + ")", "choose another directory"};
}

}  // namespace

Result<std::filesystem::path> makeNumberedDirectory(const std::filesystem::path& base) {
    std::error_code error;
    std::filesystem::create_directories(base.parent_path(), error);
    if (error) return cannotCreate(base.parent_path(), error.value());
    for (int number = 1; number <= kMaxNumbers; ++number) {
        std::filesystem::path path = base;
        if (number > 1) path += std::string("-").append(std::to_string(number));
        if (::mkdir(path.c_str(), 0777) == 0) return path;
        if (errno != EEXIST) return cannotCreate(path, errno);
    }
    return cannotCreate(base, EEXIST);
}

}  // namespace ringside
