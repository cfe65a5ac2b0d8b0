// SPDX-License-Identifier: Apache-2.0
#include "base/text/shared_text.h"

#include "support/catch.h"

using namespace ringside;

TEST_CASE("a message for another computer contains neither paths nor quoted text") {
    CHECK(withoutPrivateParts("data/x.csv line 2, column \"user\" is \"ada\"") == "data/x.csv line 2, column \"...\"");
    CHECK(withoutPrivateParts("/srv/ada/x.csv cannot be opened (No such file)") ==
          "... cannot be opened (No such file)");
    CHECK(withoutPrivateParts("ringside-worker: /opt/r/bin/w: error") == "ringside-worker: ...: error");
    CHECK(withoutPrivateParts("see (/tmp/a, ~/b)") == "see (..., ...)");
    CHECK(withoutPrivateParts("cell \"a\" b \"c\" of 3") == "cell \"...\" of 3");
    CHECK(withoutPrivateParts("not closed \"ada") == "not closed \"...\"");
    CHECK(withoutPrivateParts("rank 2 at step 4, 1/2 of 3 MB/s; data/x.csv") ==
          "rank 2 at step 4, 1/2 of 3 MB/s; data/x.csv");
    CHECK(withoutPrivateParts("").empty());
}
