// SPDX-License-Identifier: Apache-2.0
#include "oracle.h"

#include <array>
#include <cstdio>
#include <memory>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/places.h"
#include "support/temporary_directory.h"

namespace ringside::testing {

std::string outputOf(const std::string& command) {
    std::FILE* pipe = ::popen(command.c_str(), "r");
    REQUIRE(pipe != nullptr);
    std::string output;
    std::array<char, 1U << 16> buffer{};
    while (const std::size_t got = std::fread(buffer.data(), 1, buffer.size(), pipe)) output.append(buffer.data(), got);
    INFO(command);
    REQUIRE(::pclose(pipe) == 0);
    return output;
}

Json queryPyTorch(const Json& queries) {
    const TemporaryDirectory directory;
    const auto file = directory.path() / "queries.json";
    writeFileAtomically(file, queries.dump());
    const std::string output =
        outputOf("timeout 200 " + torchPython() + " " + sourceFile("tests/pytorch/oracle.py") + " < " + file.string());
    Json answers = parseJson(output, "oracle.py", std::size_t{1} << 30, 64, std::size_t{1} << 30).value();
    REQUIRE(answers.size() == queries.size());
    return answers;
}

}  // namespace ringside::testing
