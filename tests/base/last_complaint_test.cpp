// SPDX-License-Identifier: Apache-2.0
#include "base/text/last_complaint.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("the last line of a program's output is quoted without its name") {
    CHECK(lastComplaint("") == "");
    CHECK(lastComplaint(" \n\n") == "");
    CHECK(lastComplaint("one line") == "one line");
    CHECK(lastComplaint("warming up\nringsidectl: dataset.path is empty: name the file\n\n") ==
          "dataset.path is empty: name the file");
    CHECK(lastComplaint("first\n  ringsidectl: ringsidectl: twice\r\n") == "ringsidectl: twice");
}
