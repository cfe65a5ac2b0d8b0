// SPDX-License-Identifier: Apache-2.0
#include "base/system/resource_directory.h"

#include <unistd.h>

#include <array>
#include <filesystem>

#include "support/catch.h"

using namespace ringside;
namespace fs = std::filesystem;

TEST_CASE("the program directory is the folder of the executable file") {
    std::array<char, 4096> text{};
    REQUIRE(::readlink("/proc/self/exe", text.data(), text.size() - 1) > 0);
    CHECK(programDirectory() == fs::path(text.data()).parent_path());
}

TEST_CASE("resources are found in share/ringside beside the program's folder") {
    const Result<fs::path> directory = resourceDirectory();
    REQUIRE(directory);
    CHECK(fs::equivalent(directory.value(), programDirectory().parent_path() / "share" / "ringside"));
    CHECK(fs::is_directory(resourcePath("examples").value()));
}

TEST_CASE("a missing resource is reported with its path and a remedy") {
    const Result<fs::path> missing = resourcePath("examples/none.ringside.json");
    REQUIRE_FALSE(missing);
    CHECK(missing.problem().field == (resourceDirectory().value() / "examples/none.ringside.json").string());
    CHECK(missing.problem().message == "does not exist");
    CHECK_FALSE(missing.problem().remedy.empty());
}
