// SPDX-License-Identifier: Apache-2.0
#include "base/text/last_error_line.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("the last line of a program's output is quoted without its name") {
    CHECK(lastErrorLine("") == "");
    CHECK(lastErrorLine(" \n\n") == "");
    CHECK(lastErrorLine("one line") == "one line");
    CHECK(lastErrorLine("warming up\nringsidectl: dataset.path is empty: name the file\n\n") ==
          "dataset.path is empty: name the file");
    CHECK(lastErrorLine("first\n  ringsidectl: ringsidectl: twice\r\n") == "ringsidectl: twice");
}
