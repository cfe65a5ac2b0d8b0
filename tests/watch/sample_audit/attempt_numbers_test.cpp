// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/attempt_numbers.h"

#include "support/catch.h"
#include "watch/sample_audit/recorded_script.h"

using namespace ringside;
using namespace ringside::testing;

TEST_CASE("an attempt that not every rank reached does not split the epochs by rank", "[audit]") {
    RecordedScript script;
    const auto begin = [&script](int rank, int restart) {
        script.fact(rank, "process", {{"world_size", 2}, {"restart", restart}});
        script.loader(rank, 0, listOf(4));
    };
    begin(0, 0);
    begin(1, 0);
    script.epoch(0, 0, 0, {0, 1});
    script.epoch(1, 0, 0, {2, 3});
    begin(1, 1);  // rank 0 ends before it reports anything
    const bool isRank0First = GENERATE(true, false);
    begin(isRank0First ? 0 : 1, 2);
    begin(isRank0First ? 1 : 0, 2);
    script.epoch(0, 0, 0, {3, 2});
    script.epoch(1, 0, 0, {1, 0});
    const SampleAudit audit = auditOf({script});
    REQUIRE(audit.training.size() == 2);
    CHECK(audit.training[0].isExact());
    CHECK(audit.training[1].isExact());
}

// torchrun counts only the failures of its own host: the number of rank 1 stays 0.
TEST_CASE("restarts that only one host counts are restarts of all ranks", "[audit]") {
    RecordedScript script;
    for (int attempt = 0; attempt < 3; ++attempt) {
        for (const int rank : {0, 1}) {
            script.fact(rank, "process", {{"world_size", 2}, {"restart", rank == 0 ? attempt : 0}});
            script.loader(rank, 0, listOf(4));
            script.epoch(rank, 0, 0, rank == 0 ? Indices{0, 1} : Indices{2, 3});
        }
    }
    const SampleAudit audit = auditOf({script});
    REQUIRE(audit.training.size() == 3);
    for (const EpochAudit& epoch : audit.training) CHECK(epoch.isExact());
}

// Launchers such as mpirun report no number of the restart, but the record contains the restarts.
TEST_CASE("recorded restarts number the attempts of ranks that missed one", "[audit]") {
    RecordedScript script;
    const auto begin = [&script](int rank) {
        script.process(rank, 2);
        script.loader(rank, 0, listOf(4));
    };
    const auto restart = [&script](double number) {
        script.events.emplace_back(Controlled{.command = ControlKind::kRestart, .value = number, .after = {}});
    };
    begin(0);
    begin(1);
    script.epoch(0, 0, 0, {0, 1});
    script.epoch(1, 0, 0, {2, 3});
    restart(1);
    begin(1);  // rank 0 ends before it reports anything
    restart(2);
    begin(0);
    begin(1);
    script.epoch(0, 0, 0, {3, 2});
    script.epoch(1, 0, 0, {1, 0});
    AttemptNumbers numbers;
    for (const Event& event : script.events) numbers.apply(event);
    CHECK(numbers.attemptOf(0) == 2);
    CHECK(numbers.attemptOf(1) == 2);
    const SampleAudit audit = auditOf({script});
    REQUIRE(audit.training.size() == 2);
    CHECK(audit.training[0].isExact());
    CHECK(audit.training[1].isExact());
}
