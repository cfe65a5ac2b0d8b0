// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_life.h"

#include "run/read/run_directory.h"
#include "support/catch.h"
#include "support/other_user.h"
#include "support/temporary_directory.h"

using namespace ringside;
namespace fs = std::filesystem;

namespace {

// Run directory that other users can read, as with the usual umask.
struct PublicRun {
    TemporaryDirectory scratch;
    fs::path path = scratch.path() / "run";
    std::optional<Result<RunDirectory>> directory{RunDirectory::create(path)};

    PublicRun() {
        fs::permissions(scratch.path(), fs::perms(0755));
        directory->value().keep();
    }
    // Ends the run as SIGKILL to its supervisor does: the lock file still exists, without a lock.
    void kill() { directory.reset(); }
};

}  // namespace

TEST_CASE("a run is live while its lock is held, and ended after its supervisor was killed") {
    PublicRun run;
    CHECK(runLife(run.path) == RunLife::kLive);
    CHECK_FALSE(otherOwner(run.path));
    run.kill();
    CHECK(runLife(run.path) == RunLife::kOver);
}

TEST_CASE("another user can see that a run is live and its owner") {
    PublicRun run;
    const OtherUser user;
    if (!user.isOther()) {
        WARN("not checked: acting as another user needs root");
        return;
    }
    CHECK(runLife(run.path) == RunLife::kLive);
    CHECK(otherOwner(run.path) == "user root");
}

TEST_CASE("the state of another user's run without a visible lock is unknown, not ended") {
    PublicRun run;
    run.kill();
    const OtherUser user;
    if (!user.isOther()) return;
    CHECK(runLife(run.path) == RunLife::kUnknown);
    CHECK(otherOwner(run.path) == "user root");
    CHECK_FALSE(isRunAlive(run.path));
}

TEST_CASE("a run without a lock file has ended for every user") {
    PublicRun run;
    run.directory->value().release();
    CHECK(runLife(run.path) == RunLife::kOver);
    const OtherUser user;
    CHECK(runLife(run.path) == RunLife::kOver);
    CHECK_FALSE(otherOwner(run.path));
    CHECK(runLife(run.scratch.path() / "none") == RunLife::kOver);
}
