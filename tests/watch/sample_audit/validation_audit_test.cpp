// SPDX-License-Identifier: Apache-2.0
#include "support/catch.h"
#include "watch/audit/audit_text.h"
#include "watch/audit/sample_audit.h"
#include "watch/sample_audit/recorded_script.h"

using namespace ringside;
using namespace ringside::testing;

// Loader 2 trains on all samples after loader 1 has evaluated samples 3 to 5 for the last time.
TEST_CASE("training on all samples after the last evaluation is no training on validation samples", "[audit]") {
    const auto with = [](bool evaluatesAgain, bool inNextRun) {
        std::vector<RecordedScript> runs(inNextRun ? 2 : 1);
        const auto begins = [](RecordedScript& script, int loader, int pass, std::int64_t timeUs) {
            script.events.emplace_back(ScriptFacts{0, "pass", Json{{"loader", loader}, {"pass", pass}}.dump(), timeUs});
        };
        for (RecordedScript& run : runs) {
            run.process(0, 1);
            run.loader(0, 0, subsetOf(3, 1, listOf(6, 9)));
            run.subset(0, 1, {0, 1, 2});
            run.loader(0, 1, subsetOf(3, 2, listOf(6, 9)));
            run.subset(0, 2, {3, 4, 5});
            run.loader(0, 2, listOf(6, 9));
        }
        begins(runs.front(), 0, 0, 1000);
        runs.front().epoch(0, 0, 0, {0, 1, 2});
        begins(runs.front(), 1, 0, 2000);
        runs.front().evaluated(0, 1, 0, 0, {0, 1, 2});
        runs.front().passEnd(0, 1, 0, {}, 0);
        begins(runs.back(), 2, 0, 3000);
        runs.back().epoch(0, 2, 0, {0, 1, 2, 3, 4, 5});
        if (evaluatesAgain) {
            begins(runs.back(), 1, 1, 4000);
            runs.back().evaluated(0, 1, 1, 0, {0, 1, 2});
            runs.back().passEnd(0, 1, 1, {}, 0);
        }
        return auditOf(runs);
    };
    CHECK(with(false, false).trainedOn == 0);
    CHECK(with(false, false).trainedLater == 3);
    CHECK(linesOf(with(false, false)).back().text == "none of its 3 samples was trained on before the last evaluation");
    CHECK(with(true, false).trainedOn == 3);
    CHECK(with(true, false).trainedLater == 0);
}
