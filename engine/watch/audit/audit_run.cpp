// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/audit_run.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <functional>
#include <optional>
#include <string>

#include "base/json/json.h"
#include "base/system/files.h"
#include "base/text/line_splitter.h"
#include "telemetry/events/codec.h"
#include "watch/audit/planned_audit.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kPiece = 1U << 18;
constexpr std::size_t kMostRuns = 64;  // in a chain

// Kinds of events that the audit reads, as they stand at the begin of a line. Other lines are not decoded.
constexpr std::array<std::string_view, 5> kKinds = {"\"run\"", "\"script\"", "\"indices\"", "\"steps\"",
                                                    "\"consumed\""};

bool isRead(std::string_view line) {
    const std::string_view start = line.substr(0, 32);
    return std::ranges::any_of(kKinds,
                               [&](std::string_view kind) { return start.find(kind) != std::string_view::npos; });
}

// Reads the events of telemetry.jsonl that the audit needs. Returns the number of lines that cannot be decoded.
Result<std::int64_t> readEvents(const fs::path& run, const std::function<void(const Event&)>& sink) {
    const fs::path file = RunPaths(run).telemetry();
    const Result<UniqueFd> opened = openFile(file);
    if (!opened) return opened.problem();
    LineSplitter lines(Decoder::kMaxLine);
    std::string piece(kPiece, '\0');
    std::int64_t bad = 0;
    for (;;) {
        const ssize_t got = ::read(opened.value().get(), piece.data(), piece.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return Problem{file.string(), "cannot be read", "check the disk and the permissions"};
        if (got == 0) return bad;
        lines.feed({piece.data(), static_cast<std::size_t>(got)}, [&](std::string_view line) {
            if (!isRead(line)) return;
            const Result<Event> event = decodeLine(line);
            event ? sink(event.value()) : void(++bad);
        });
    }
}

// Returns the run that a run continues; empty if it continues none.
fs::path continuedBy(const fs::path& run) {
    for (const fs::path& file : {RunPaths(run).launch(), RunPaths(run).summary()}) {
        const Result<Json> json = readJsonFile(file);
        if (!json || !json.value().is_object()) continue;
        const auto found = json.value().find("continues");
        if (found == json.value().end() || !found->is_string() || found->get<std::string>().empty()) continue;
        const fs::path path = found->get<std::string>();
        return path.is_absolute() ? path : run / path;
    }
    return {};
}

struct Chain {
    std::vector<RecordedFacts> facts;
    std::vector<Consumed> hashes;  // of the last run
    std::int64_t badLines = 0;
};

Result<Chain> readFacts(const std::vector<fs::path>& runs) {
    Chain chain;
    for (const fs::path& run : runs) {
        chain.hashes.clear();
        RecordedFacts& facts = chain.facts.emplace_back();
        const Result<std::int64_t> bad = readEvents(run, [&](const Event& event) {
            facts.add(event);
            if (const auto* consumed = std::get_if<Consumed>(&event)) chain.hashes.push_back(*consumed);
        });
        if (!bad) return bad.problem();
        chain.badLines += bad.value();
        if (facts.attempts().empty() && !facts.started()) {
            return Problem{RunPaths(run).telemetry().string(), "holds no line of a run",
                           "name the directory of a run that has trained"};
        }
    }
    return chain;
}

Result<SampleAudit> auditRuns(const std::vector<fs::path>& runs) {
    Result<Chain> chain = readFacts(runs);
    if (!chain) return chain.problem();
    const RecordedFacts& last = chain.value().facts.back();
    if (!last.isWatched() && last.started()) return auditByPlan(*last.started(), chain.value().hashes);
    SampleAuditor auditor(std::move(chain.value().facts));
    for (std::size_t number = 0; number < runs.size(); ++number) {
        const Result<std::int64_t> read =
            readEvents(runs[number], [&](const Event& event) { auditor.add(number, event); });
        if (!read) return read.problem();
    }
    SampleAudit audit = auditor.finish();
    if (chain.value().badLines > 0) {
        audit.notes.push_back(std::to_string(chain.value().badLines) +
                              " damaged lines were skipped: numbers may be too small");
    }
    return audit;
}

}  // namespace

Result<std::vector<fs::path>> chainOf(const fs::path& run) {
    std::vector<fs::path> runs;
    for (fs::path one = run; !one.empty(); one = continuedBy(one)) {
        std::error_code ignored;
        if (!fs::is_directory(one, ignored)) {
            if (runs.empty()) return Problem{one.string(), "is no run directory", "name the directory of a run"};
            return Problem{one.string(), "is not there, but " + runs.front().string() + " continues it",
                           "move it back, or watch the script without --continues"};
        }
        const fs::path whole = fs::weakly_canonical(one, ignored);
        if (std::ranges::find(runs, whole) != runs.end() || runs.size() == kMostRuns) {
            return Problem{whole.string(),
                           "is continued by itself, or by more than " + std::to_string(kMostRuns) + " runs",
                           "correct \"continues\" in launch.json"};
        }
        runs.insert(runs.begin(), whole);
    }
    return runs;
}

Result<SampleAudit> auditRun(const fs::path& run) {
    const Result<std::vector<fs::path>> runs = chainOf(run);
    return runs ? auditRuns(runs.value()) : runs.problem();
}

Result<SampleAudit> auditRun(const fs::path& run, const fs::path& continues) {
    if (continues.empty()) return auditRuns({run});
    Result<std::vector<fs::path>> runs = chainOf(continues);
    if (!runs) return runs.problem();
    runs.value().push_back(run);
    return auditRuns(runs.value());
}

}  // namespace ringside
