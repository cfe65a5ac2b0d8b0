// SPDX-License-Identifier: Apache-2.0
#include "run/read/run_follower.h"

#include <fstream>
#include <optional>

#include "base/system/files.h"
#include "support/catch.h"
#include "support/other_user.h"
#include "support/temporary_directory.h"
#include "telemetry/events/codec.h"

using namespace ringside;

namespace {

class SetClock final : public Clock {
  public:
    TimePoint now() const override { return time; }
    TimePoint time{};
};

struct Writer {
    TemporaryDirectory scratch;
    std::optional<Result<RunDirectory>> run{RunDirectory::create(scratch.path() / "run")};
    std::ofstream file{run->value().paths().telemetry(), std::ios::app};
    std::string seen;
    std::shared_ptr<SetClock> clock = std::make_shared<SetClock>();
    RunFollower follower{run->value().paths(), RunFollower::Traces::kExcluded, clock};

    void write(const std::string& text) { file << text << std::flush; }
    bool advance() {
        return follower.advance([this](std::string_view lines) { seen += lines; });
    }
};

}  // namespace

TEST_CASE("a live run is read line by line and unchanged until its end line") {
    Writer writer;
    const std::string first = encode(LogLine{0, LogLevel::kInfo, "one", 1});
    const std::string second = encode(LogLine{0, LogLevel::kInfo, "two", 2});
    const std::string end = encode(RunEnded{});
    CHECK(writer.advance());
    writer.write(first + second.substr(0, 10));
    CHECK(writer.advance());
    CHECK(writer.seen == first);
    writer.write(second.substr(10));
    CHECK(writer.advance());
    CHECK(writer.seen == first + second);
    writer.write(end);
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen == first + second + end);
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen == first + second + end);
}

TEST_CASE("a finished run is replayed completely in one call") {
    Writer writer;
    std::string all;
    for (int i = 0; i < 5000; ++i) all += encode(LogLine{0, LogLevel::kInfo, "line " + std::to_string(i), i});
    all += encode(RunEnded{});
    writer.write(all);
    writer.run->value().release();
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen == all);
}

TEST_CASE("a long backlog is delivered in pieces, so the caller can poll in between") {
    Writer writer;
    std::string all;
    for (int i = 0; i < 60000; ++i) all += encode(LogLine{0, LogLevel::kInfo, "line " + std::to_string(i), i});
    all += encode(RunEnded{});
    writer.write(all);
    writer.run->value().release();
    CHECK(writer.advance());
    CHECK(writer.follower.isBehind());
    CHECK(writer.seen.size() < all.size() / 2);
    for (int i = 0; i < 100 && writer.advance(); ++i) continue;
    CHECK(writer.seen == all);
}

TEST_CASE("a killed supervisor is reported by an end line, without the incomplete last line") {
    Writer writer;
    const std::string first = encode(LogLine{0, LogLevel::kInfo, "one", 1});
    writer.write(first + "{\"kind\":\"lo");
    CHECK(writer.advance());
    writer.run->value().release();
    CHECK_FALSE(writer.advance());
    REQUIRE(writer.seen.substr(0, first.size()) == first);
    const auto end = decodeLine(writer.seen.substr(first.size()));
    REQUIRE(end.ok());
    const auto& ended = std::get<RunEnded>(end.value());
    CHECK(ended.state == RunOutcome::kFailed);
    CHECK(ended.verdict == "the supervisor of this run and its ranks were killed: ringsidectl run --resume " +
                               writer.run->value().paths().directory.string() +
                               " continues from its last checkpoint, if there is one");
}

TEST_CASE("a killed watcher is reported without a claim about its script") {
    Writer writer;
    writeFileAtomically(writer.run->value().paths().config(), R"({"dataset": {"kind": "external", "size": 16}})");
    writer.write(encode(LogLine{0, LogLevel::kInfo, "one", 1}));
    writer.run->value().release();
    CHECK_FALSE(writer.advance());
    const auto end = decodeLine(writer.seen.substr(writer.seen.find('\n') + 1));
    REQUIRE(end.ok());
    CHECK(std::get<RunEnded>(end.value()).verdict ==
          "the watcher of this script was killed, so the record ends here; the script may have continued without it: "
          "start the script again with ringsidectl watch to get a complete record");
}

TEST_CASE("a run that ended and lost its last lines ends with the outcome of its summary") {
    Writer writer;
    const std::string first = encode(LogLine{0, LogLevel::kInfo, "one", 1});
    writer.write(first + "{\"kind\":\"en");
    std::ofstream(writer.run->value().paths().summary())
        << R"({"state": "finished", "exit_code": 0, "verdict": "finished 3 epochs", "steps": 69})";
    writer.run->value().release();
    CHECK_FALSE(writer.advance());
    const std::string rest = writer.seen.substr(first.size());
    const std::size_t line = rest.find('\n') + 1;
    const auto warning = std::get<LogLine>(decodeLine(rest.substr(0, line)).value());
    CHECK(warning.level == LogLevel::kWarning);
    CHECK(warning.text.find("telemetry.jsonl of this run is damaged or truncated") == 0);
    const auto end = std::get<RunEnded>(decodeLine(rest.substr(line)).value());
    CHECK(end.state == RunOutcome::kFinished);
    CHECK(end.exitCode == 0);
    CHECK(end.verdict == "finished 3 epochs");
    CHECK(end.steps == 69);
}

TEST_CASE("the summary's failure is the outcome of damaged telemetry, with rank and code") {
    Writer writer;
    std::ofstream(writer.run->value().paths().summary())
        << R"({"state": "failed", "exit_code": 13, "first_failed_rank": 2, "verdict": "rank 2 hung"})";
    writer.run->value().release();
    CHECK_FALSE(writer.advance());
    const auto end = std::get<RunEnded>(decodeLine(writer.seen.substr(writer.seen.find('\n') + 1)).value());
    CHECK(end.exitCode == 13);
    CHECK(end.firstFailedRank == 2);
}

TEST_CASE("another user's run with an invisible lock is followed while it writes") {
    Writer writer;
    std::filesystem::permissions(writer.scratch.path(), std::filesystem::perms(0755));
    const std::string first = encode(LogLine{0, LogLevel::kInfo, "one", 1});
    const std::string second = encode(LogLine{0, LogLevel::kInfo, "two", 2});
    writer.run->value().keep();
    writer.run.reset();  // the run is unlocked, but its lock file still exists
    const OtherUser user;
    if (!user.isOther()) {
        WARN("not checked: acting as another user needs root");
        return;
    }
    CHECK(writer.advance());
    writer.clock->time += std::chrono::seconds(14);
    writer.write(first);
    CHECK(writer.advance());
    writer.clock->time += std::chrono::seconds(14);
    writer.write(second);
    CHECK(writer.advance());
    CHECK(writer.seen == first + second);
    writer.clock->time += std::chrono::seconds(15);
    CHECK_FALSE(writer.advance());
    const auto end = std::get<RunEnded>(decodeLine(writer.seen.substr(first.size() + second.size())).value());
    CHECK(end.exitCode == 2);
    CHECK(end.verdict.find("belongs to user root: the state of the run cannot be determined") != std::string::npos);
}

TEST_CASE("an overlong line is passed on in pieces, and no part of it is taken as the end") {
    Writer writer;
    const std::string end = encode(RunEnded{});
    std::string all = std::string(Decoder::kMaxLine + 100'000, 'x');
    writer.write(all);
    while (writer.advance() && writer.follower.isBehind()) continue;
    CHECK(writer.seen.size() > Decoder::kMaxLine);
    writer.write(end);  // rest of the long line
    all += end;
    CHECK(writer.advance());
    CHECK(writer.seen == all);
    writer.write(end);
    CHECK_FALSE(writer.advance());
    CHECK(writer.seen == all + end);
}
