// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <string>

#include "base/json/json.h"
#include "base/system/files.h"
#include "base/system/resource_directory.h"

namespace ringside {

// Paths of the trees that a test program belongs to. They come from the program's own folder and from places.json,
// which CMake writes there: paths in compile definitions would keep ccache from reusing objects for a clone in another
// folder.

// Path of a program that ./run builds, such as "ringsidectl".
inline std::string builtProgram(const std::string& name) {
    return (programDirectory().parent_path() / "bin" / name).string();
}

// Path of a program that only tests start, such as "fake_worker" or "faults/ringsidectl".
inline std::string testProgram(const std::string& name) {
    return (programDirectory() / name).string();
}

// Value of `key` in places.json.
inline std::string placeOf(const char* key) {
    static const Json places = readJsonFile(programDirectory() / "places.json").value();
    return places.at(key).get<std::string>();
}

// Path of a file of the source tree, such as "tests/nn/goldens_torch_1_13.json".
inline std::string sourceFile(const std::string& name) {
    return placeOf("source") + "/" + name;
}

// python3 whose PyTorch is the reference: the environment variable RINGSIDE_TORCH_PYTHON, or the one that CMake found.
inline std::string torchPython() {
    const char* chosen = std::getenv("RINGSIDE_TORCH_PYTHON");
    return chosen != nullptr ? chosen : placeOf("torch_python");
}

}  // namespace ringside
