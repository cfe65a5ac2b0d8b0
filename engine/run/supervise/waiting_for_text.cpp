// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/waiting_for_text.h"

#include <cmath>

#include "base/text/number_text.h"
#include "run/checkpoint/checkpoint_manifest.h"

namespace ringside {
std::uintmax_t bytesSaved(const std::filesystem::path& runDirectory) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path newest;
    for (const auto& entry : fs::directory_iterator(runDirectory / kCheckpointsName, error)) {
        if (newest.empty() || entry.path() > newest) newest = entry.path();
    }
    std::uintmax_t bytes = 0;
    if (newest.empty()) return bytes;
    for (const auto& file : fs::directory_iterator(newest, error)) {
        std::error_code missing;
        const std::uintmax_t size = fs::file_size(file.path(), missing);
        if (!missing) bytes += size;
    }
    return bytes;
}

std::string waitingForText(const std::vector<RankCondition>& conditions, const std::filesystem::path& runDirectory) {
    const RankCondition* last = nullptr;
    for (const RankCondition& condition : conditions) {
        if (!condition.end && (last == nullptr || isBehind(condition, *last))) last = &condition;
    }
    if (last == nullptr) return "the end of the run";
    const std::string name = "rank " + std::to_string(last->rank);
    if (last->reportedStage == RankStage::kFinished || last->reportedStage == RankStage::kStopped)
        return name + " to end";
    const bool saves = last->reportedStage == RankStage::kSaving || last->beat.phase == Phase::kCheckpoint;
    if (saves)
        return name + ", which saves (" + memoryText(static_cast<std::int64_t>(bytesSaved(runDirectory))) + " written)";
    std::string text = name;
    if (last->processStopped) text += ", whose process is stopped,";
    text += " in " + std::string(phaseName(last->beat.phase));
    if (last->beat.step > 0) text += " " + last->position;
    if (last->stalledSeconds >= 1) text += " for " + std::to_string(std::lround(last->stalledSeconds)) + " s";
    return text;
}

}  // namespace ringside
