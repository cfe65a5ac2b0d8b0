// SPDX-License-Identifier: Apache-2.0
#include "run/record/reopened_record.h"

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>
#include <string>

#include "base/errors/errors.h"
#include "base/json/json_members.h"
#include "base/system/files.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

// Function that returns the line to keep, unchanged or shortened; empty: the line is removed from the file.
using Keep = std::function<std::optional<std::string>(const std::string& line)>;

// Rewrites a file line by line. A complete copy replaces the file, so that a crash leaves either the old or the new
// file intact.
void rewriteLines(const std::filesystem::path& path, const Keep& keep) {
    std::ifstream in(path);
    if (!in) return;
    const std::filesystem::path copy = path.string() + ".cut";
    {
        std::ofstream out(copy, std::ios::trunc);
        for (std::string line; std::getline(in, line) && out;) {
            if (in.eof()) break;  // drops an incomplete last line, which a crash has left
            const std::optional<std::string> kept = keep(line);
            if (kept) out << *kept << '\n';
        }
        out.close();
        if (!out)
            throw IoError(path.string() +
                          " cannot be rewritten: free some disk space, or continue in another directory");
    }
    std::error_code error;
    std::filesystem::rename(copy, path, error);
    if (error) throw IoError(path.string() + " cannot be replaced (" + error.message() + ")");
}

std::string lineOf(const Event& event) {
    std::string line = encode(event);
    line.pop_back();
    return line;
}

// Removes the steps after the checkpoint from a line of steps. Returns an empty line if no step is left.
std::optional<std::string> keepSteps(const StepsFrame& frame, const RecordCut& cut, const std::string& line) {
    const auto end = std::upper_bound(frame.step.begin(), frame.step.end(), cut.step);
    if (end == frame.step.end()) return line;
    const auto count = static_cast<std::size_t>(end - frame.step.begin());
    if (count == 0) return {};
    StepsFrame kept = frame;
    const auto shorten = [count](auto& column) {
        if (!column.empty()) column.resize(count);
    };
    shorten(kept.step);
    shorten(kept.loss);
    shorten(kept.correct);
    shorten(kept.samples);
    shorten(kept.endUs);
    shorten(kept.gradientNorm);
    shorten(kept.dataUs);
    shorten(kept.from);
    shorten(kept.count);
    for (auto* range : {&kept.lossMinimum, &kept.lossMaximum, &kept.accuracyMinimum, &kept.accuracyMaximum,
                        &kept.normMinimum, &kept.normMaximum})
        shorten(*range);
    kept.traced.clear();  // all traces of the frame are dropped, because it is not known to which steps they belong
    for (auto& column : kept.phaseNs) column.clear();
    return lineOf(kept);
}

// Returns the line of a rank's state with the state kStartingAgain in place of a final state, because the rank starts
// again when the run resumes. Lines with other states are not changed.
std::string keepState(const RankState& state, const std::string& line) {
    if (state.state != RankStage::kFailed && state.state != RankStage::kStopped && state.state != RankStage::kFinished)
        return line;
    RankState again = state;
    again.state = RankStage::kStartingAgain;
    again.missingRank = -1;
    return lineOf(again);
}

std::optional<std::string> keepEvent(const std::string& line, const RecordCut& cut, std::int64_t& lastUs) {
    const Result<Event> event = decodeLine(line);
    if (!event || std::holds_alternative<RunEnded>(event.value())) return {};
    if (const auto* frame = std::get_if<StepsFrame>(&event.value())) {
        const std::optional<std::string> kept = keepSteps(*frame, cut, line);
        if (kept && !frame->endUs.empty()) lastUs = std::max(lastUs, frame->endUs.back());
        return kept;
    }
    std::int64_t epoch = -1;
    if (const auto* result = std::get_if<EpochResult>(&event.value())) epoch = result->epoch;
    if (const auto* consumed = std::get_if<Consumed>(&event.value())) epoch = consumed->epoch;
    if (const auto* indices = std::get_if<ConsumedIndices>(&event.value())) {
        if (indices->step > cut.step) return {};
    }
    if (epoch >= cut.epochsDone && epoch >= 0) return {};
    std::visit(
        [&](const auto& one) {
            if constexpr (requires { one.timeUs; }) lastUs = std::max(lastUs, one.timeUs);
        },
        event.value());
    if (const auto* state = std::get_if<RankState>(&event.value())) return keepState(*state, line);
    return line;
}

std::optional<std::string> keepMetric(const std::string& line, const RecordCut& cut) {
    const Result<Json> json = parseJson(line, "metrics line");
    if (!json || !json.value().is_object()) return {};
    const bool isEpoch = stringIn(json.value(), "kind") == "epoch";
    const bool later = isEpoch ? integerIn(json.value(), "epoch").value_or(0) >= cut.epochsDone
                               : integerIn(json.value(), "step").value_or(0) > cut.step;
    return later ? std::optional<std::string>() : line;
}

}  // namespace

std::int64_t truncateRecord(const RunPaths& paths, const RecordCut& cut) {
    std::int64_t lastUs = 0;
    rewriteLines(paths.telemetry(), [&](const std::string& line) { return keepEvent(line, cut, lastUs); });
    rewriteLines(paths.metrics(), [&](const std::string& line) { return keepMetric(line, cut); });
    std::error_code ignored;
    std::filesystem::remove(paths.summary(), ignored);
    return lastUs;
}

// Reads only the last mebibyte of the file, because steps are in ascending order. An epoch counts as complete when its
// validation result is in the file, or its training result if the run does not validate.
RecordedProgress readRecordedProgress(const RunPaths& paths) {
    constexpr std::streamoff kEnd = 1 << 20;
    RecordedProgress progress;
    std::ifstream in(paths.metrics(), std::ios::ate);
    if (!in) return progress;
    in.seekg(std::max<std::streamoff>(0, static_cast<std::streamoff>(in.tellg()) - kEnd));
    bool validates = false;
    for (std::string line; std::getline(in, line);) {
        if (in.eof()) break;  // drops an incomplete last line, which a crash has left
        const Result<Json> json = parseJson(line, "metrics.jsonl");
        if (!json || !json.value().is_object()) continue;
        const std::string kind = stringIn(json.value(), "kind");
        if (kind == "step") progress.steps = std::max(progress.steps, integerIn(json.value(), "step").value_or(0));
        if (kind != "epoch") continue;
        const bool isValidation = choiceNamed<SplitKind>(stringIn(json.value(), "split")) == SplitKind::kValidation;
        validates = validates || isValidation;
        if (isValidation == validates)
            progress.epochs = std::max(progress.epochs, integerIn(json.value(), "epoch").value_or(0) + 1);
    }
    return progress;
}

}  // namespace ringside
