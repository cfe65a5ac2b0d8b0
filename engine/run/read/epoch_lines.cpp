// SPDX-License-Identifier: Apache-2.0
#include "run/read/epoch_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/run_config.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kEpochInterval{100};
constexpr std::int64_t kEveryEpochUpTo = 200;  // number of epochs up to which each epoch gets a line; a longer run gets
                                               // at most ten epoch lines a second

std::string metrics(const char* name, double loss, double accuracy) {
    const std::string text = fmt::format("{} loss {:.4f}", name, loss);
    return std::isnan(accuracy) ? text : text + fmt::format("  accuracy {:6.2f} %", 100 * accuracy);
}

// Returns "epoch  3 of 12"; "epoch 3" if the number of epochs is not known, as for a watched script that is still
// training.
std::string epochText(std::int64_t epoch, std::int64_t total) {
    std::string number = std::to_string(epoch);
    if (total <= 0) return "epoch " + number;
    const std::string all = std::to_string(total);
    if (number.size() < all.size()) number.insert(0, all.size() - number.size(), ' ');
    return "epoch " + number + " of " + all;
}

// True if each epoch ends with validation results. False for a watched script, whose validation results are not known.
bool reportsValidation(const RunData& run) {
    if (!run.started() || run.started()->validationSamples <= 0) return false;
    const Result<RunConfig> config = RunConfig::parse(run.started()->config, "run");
    return !config || config.value().dataset.kind != DatasetKind::kExternal;
}

}  // namespace

std::vector<std::string> EpochLines::takeLines(const RunData& run, std::chrono::steady_clock::time_point now) {
    const std::int64_t total = run.started() ? run.started()->epochs : 0;
    const auto& training = run.trainingEpochs();
    const auto& validation = run.validationEpochs();
    std::vector<std::string> lines;
    if (m_taken >= training.size()) return lines;
    const bool validates = reportsValidation(run);
    const std::size_t complete = validates ? std::min(training.size(), validation.size()) : training.size();
    const std::int64_t last = std::max(total, static_cast<std::int64_t>(complete));
    const bool padded = isPaddingCountedInValidation(run);
    for (; m_taken < complete; ++m_taken) {
        const EpochResult& train = training[m_taken];
        if (last > kEveryEpochUpTo && train.epoch + 1 < last && now - m_lastAt < kEpochInterval) continue;
        m_lastAt = now;
        std::string line = epochText(train.epoch + 1, total) + "    " + metrics("train", train.loss, train.accuracy);
        if (validates) {
            const EpochResult& val = validation[m_taken];
            line += "    " + metrics("validation", padded ? val.lossPadded : val.loss,
                                     padded ? val.accuracyPadded : val.accuracy);
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

bool isPaddingCountedInValidation(const RunData& run) {
    if (!run.started()) return false;
    const Result<RunConfig> config = RunConfig::parse(run.started()->config, "run");
    return config && config.value().training.validate == ValidationMode::kPadded;
}

}  // namespace ringside
