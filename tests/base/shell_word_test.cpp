// SPDX-License-Identifier: Apache-2.0
#include "base/text/shell_word.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("a word of the shell is quoted unless all its characters are harmless") {
    CHECK(shellWord("aZ09_./:=,+-@%") == "aZ09_./:=,+-@%");
    CHECK(shellWord("") == "''");
    CHECK(shellWord("a b") == "'a b'");
    CHECK(shellWord("$HOME") == "'$HOME'");
    CHECK(shellWord("it's") == "'it'\\''s'");
}
