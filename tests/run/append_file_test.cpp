// SPDX-License-Identifier: Apache-2.0
#include "run/record/append_file.h"

#include "base/files.h"
#include "run/record/space_reserve.h"
#include "support/catch.h"
#include "support/size_limit.h"
#include "support/temporary_directory.h"

using namespace ringside;

TEST_CASE("a file whose disk is full ends with the last line that fitted, and goes on when there is room") {
    const TemporaryDirectory directory;
    const auto path = directory.path() / "lines";
    AppendFile file(path);
    file.add("first\n");
    file.flush();
    {
        const SizeLimit limit(20);
        file.add("second\nthird, too long\n");
        CHECK_THROWS_WITH(file.flush(), containing("lines cannot be written (File too large)"));
        file.add("fourth, too long for it as well\n");
        CHECK_THROWS_AS(file.flush(), IoError);
    }
    CHECK(readFile(path, 100).value() == "first\nsecond\n");
    file.add("last\n");
    file.flush();
    CHECK(readFile(path, 100).value() == "first\nsecond\nlast\n");
}

TEST_CASE("room set aside has no name in the directory") {
    const TemporaryDirectory directory;
    const SpaceReserve reserve(directory.path());
    CHECK(std::filesystem::is_empty(directory.path()));
    CHECK_THROWS_WITH(SpaceReserve(directory.path() / "none"), containing("has no room for a run"));
}
