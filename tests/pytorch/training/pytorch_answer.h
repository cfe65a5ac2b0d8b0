// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "base/json/json.h"
#include "support/catch.h"
#include "support/places.h"

namespace ringside::test {

// Returns the output of a script in this folder for a command and its argument.
inline Json runPytorch(const std::string& command, const std::filesystem::path& argument,
                       const std::string& script = "reference_training.py") {
    const std::string line =
        torchPython() + " " + sourceFile("tests/pytorch/training/" + script) + " " + command + " " + argument.string();
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(line.c_str(), "r"), pclose);
    REQUIRE(pipe);
    std::string text;
    char piece[4096];
    while (const std::size_t got = fread(piece, 1, sizeof piece, pipe.get())) text.append(piece, got);
    INFO("python3-torch must be installed (or configure with RINGSIDE_WITHOUT_PYTORCH=ON): " << line);
    REQUIRE_FALSE(text.empty());
    return parseJson(text, script, std::size_t{1} << 30, 64, std::size_t{1} << 30).value();
}

}  // namespace ringside::test
