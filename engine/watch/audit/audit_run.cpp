// SPDX-License-Identifier: Apache-2.0
#include "watch/audit/audit_run.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "base/json/json.h"
#include "run/read/run_events.h"
#include "watch/audit/planned_audit.h"
#include "watch/audit/tensor_record.h"

namespace ringside {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxRuns = 64;  // maximum number of runs in a chain, in which each run continues the previous one

constexpr std::array<std::string_view, 6> kKinds = {"run", "script", "indices", "steps", "consumed", "control"};

// Returns the directory of the run that `run` continues; empty if it continues none.
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
    std::vector<Consumed> hashes;  // "consumed" events of the last run in the chain: hashes of its samples
    std::vector<std::string> notes;
    std::int64_t badLines = 0;
    bool knowsStarts = true;
};

// Reads the facts of one run and appends them to the chain. `facts` must have been constructed with the last step of
// this run that counts: the step from which the next run of the chain continues.
std::optional<Problem> addFacts(Chain& chain, const fs::path& run, RecordedFacts facts) {
    chain.hashes.clear();
    const Result<std::int64_t> bad = readRunEvents(run, kKinds, [&](const Event& event) {
        facts.add(event);
        if (const auto* consumed = std::get_if<Consumed>(&event)) chain.hashes.push_back(*consumed);
    });
    if (!bad) return bad.problem();
    chain.badLines += bad.value();
    if (facts.attempts().empty() && !facts.started()) {
        return Problem{RunPaths(run).telemetry().string(), "contains no line that describes a run",
                       "name the directory of a run that has trained"};
    }
    chain.facts.push_back(std::move(facts));
    return {};
}

// Returns the step from which the next run continues, found by comparing the recorded weights of both runs; empty if no
// step matches. Adds a note with the result.
Result<std::optional<std::int64_t>> nextStart(Chain& chain, const TensorRecord& before, const fs::path& run,
                                              const fs::path& next) {
    const Result<TensorRecord> after = readTensorRecord(next);
    if (!after) return after.problem();
    const std::optional<std::int64_t> step = resumedStep(before, after.value());
    const std::string names = next.filename().string() + " continues " + run.filename().string();
    if (step) {
        chain.notes.push_back(names + " from step " + std::to_string(*step) +
                              ", as a comparison of weights shows: later steps of that run do not count");
    } else {
        chain.notes.push_back("The step from which " + names + " is not known: all steps of that run count");
    }
    return step;
}

// Adds a note about each restart within a run.
void addRestartNotes(Chain& chain, const TensorRecord& run) {
    for (const TensorRecord::Discarded& one : run.discarded()) {
        const std::string after = "after step " + std::to_string(one.to);
        if (!one.from) {
            chain.knowsStarts = false;
            chain.notes.push_back("The step from which the restart " + after +
                                  " continues is not known: all steps before it count");
        } else if (*one.from == 0) {
            chain.notes.push_back("The restart " + after +
                                  " begins with the initial weights: the steps before it do not count");
        } else if (*one.from < one.to) {
            chain.notes.push_back("The restart " + after + " continues from step " + std::to_string(*one.from) +
                                  ", as a comparison of weights shows: the steps between do not count");
        }
    }
}

// Adds the facts of the last run of a chain and returns true. Returns false and adds nothing if a launcher has
// restarted the ranks of this run: the caller must then determine which steps the restart discarded, and read the facts
// again without these steps.
Result<bool> addLastFacts(Chain& chain, const fs::path& run) {
    const std::int64_t badLines = chain.badLines;
    if (auto problem = addFacts(chain, run, RecordedFacts())) return *problem;
    if (chain.facts.back().attempts().size() < 2) return true;
    chain.facts.pop_back();
    chain.badLines = badLines;
    return false;
}

Result<Chain> readFacts(const std::vector<fs::path>& runs) {
    Chain chain;
    for (std::size_t number = 0; number < runs.size(); ++number) {
        const bool isLast = number + 1 == runs.size();
        if (isLast) {
            const Result<bool> isDone = addLastFacts(chain, runs[number]);
            if (!isDone) return isDone.problem();
            if (isDone.value()) break;
        }
        const Result<TensorRecord> tensors = readTensorRecord(runs[number]);
        if (!tensors) return tensors.problem();
        addRestartNotes(chain, tensors.value());
        std::int64_t lastStep = std::numeric_limits<std::int64_t>::max();
        if (!isLast) {
            const Result<std::optional<std::int64_t>> step =
                nextStart(chain, tensors.value(), runs[number], runs[number + 1]);
            if (!step) return step.problem();
            chain.knowsStarts = chain.knowsStarts && step.value().has_value();
            lastStep = step.value().value_or(lastStep);
        }
        RecordedFacts facts(lastStep, tensors.value().discarded());
        if (auto problem = addFacts(chain, runs[number], std::move(facts))) return *problem;
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
            readRunEvents(runs[number], kKinds, [&](const Event& event) { auditor.add(number, event); });
        if (!read) return read.problem();
    }
    SampleAudit audit = auditor.finish();
    audit.knowsStarts = chain.value().knowsStarts;
    for (std::string& note : chain.value().notes) audit.notes.push_back(std::move(note));
    if (chain.value().badLines > 0) {
        audit.notes.push_back(std::to_string(chain.value().badLines) +
                              " damaged lines were skipped, so the shown numbers of samples may be too low");
    }
    return audit;
}

}  // namespace

Result<std::vector<fs::path>> chainOf(const fs::path& run) {
    std::vector<fs::path> runs;
    for (fs::path one = run; !one.empty(); one = continuedBy(one)) {
        std::error_code ignored;
        if (!fs::is_directory(one, ignored)) {
            if (runs.empty()) return Problem{one.string(), "is not a run directory", "name the directory of a run"};
            return Problem{one.string(), "does not exist, but " + runs.front().string() + " continues it",
                           "move that run back, or watch the script without --continues"};
        }
        const fs::path whole = fs::weakly_canonical(one, ignored);
        if (std::ranges::find(runs, whole) != runs.end() || runs.size() == kMaxRuns) {
            return Problem{whole.string(),
                           "is continued by itself, or by more than " + std::to_string(kMaxRuns) + " runs",
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
