// SPDX-License-Identifier: Apache-2.0
#include "base/system/resource_directory.h"

#include <system_error>

namespace ringside {

namespace fs = std::filesystem;

fs::path programDirectory() {
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) throw IoError("/proc/self/exe cannot be read (" + error.message() + "): mount /proc");
    return program.parent_path();
}

Result<fs::path> resourceDirectory() {
    const fs::path directory = (programDirectory() / "../share/ringside").lexically_normal();
    std::error_code error;
    if (fs::is_directory(directory, error)) return directory;
    return Problem{directory.string(), "does not exist; it contains files that Ringside needs at run time",
                   "install Ringside again (cmake --install), or move bin and share together"};
}

Result<fs::path> resourcePath(const std::string& name) {
    const Result<fs::path> directory = resourceDirectory();
    if (!directory) return directory.problem();
    const fs::path path = directory.value() / name;
    std::error_code error;
    if (fs::exists(path, error)) return path;
    return Problem{path.string(), "does not exist",
                   "install Ringside again (cmake --install) or build it again (./run --build)"};
}

}  // namespace ringside
