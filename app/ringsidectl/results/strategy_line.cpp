// SPDX-License-Identifier: Apache-2.0
#include "results/strategy_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/json/json.h"
#include "base/text/number_text.h"
#include "model/model_summary.h"

namespace ringside {
namespace {

constexpr std::size_t kNameWidth = 25;
constexpr std::size_t kLongestOptions = 60;
// Widths of the columns in characters: first the kPredicted columns with predictions, then the columns with
// measurements.
constexpr std::array<std::size_t, 9> kWidths = {12, 12, 14, 8, 11, 11, 11, 11, 8};
constexpr std::size_t kPredicted = 6;

std::string milliseconds(double ms) {
    return fmt::format("{:.3g} ms", ms);
}

std::string percent(double share) {
    return fmt::format("{:.1f} %", share * 100);
}

// Returns a number of samples per second as text, such as "142065".
std::string rate(double perSecond) {
    return perSecond < 100 ? fmt::format("{:.3g}", perSecond) : fmt::format("{:.0f}", perSecond);
}

std::string leftAligned(std::string text, std::size_t width) {
    text.resize(std::max(text.size() + 1, width), ' ');
    return text;
}

std::string rowOf(const std::string& name, const std::string& options, const std::vector<std::string>& cells,
                  const std::string& last, const StrategyColumns& columns) {
    std::string line = leftAligned(name, kNameWidth) + leftAligned(options, columns.options + 1);
    const std::size_t count = columns.measured ? kWidths.size() : kPredicted;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string cell = i < cells.size() ? cells[i] : "";
        line += std::string(kWidths[i] > cell.size() ? kWidths[i] - cell.size() : 1, ' ') + cell;
    }
    line += "  " + last;
    return line.substr(0, line.find_last_not_of(' ') + 1);
}

Json jsonOf(const PredictedMemory& memory) {
    return {{"parameters", memory.parameters},
            {"gradients", memory.gradients},
            {"optimizer", memory.optimizer},
            {"activations", memory.activations},
            {"gathered", memory.gathered},
            {"buffers", memory.buffers},
            {"peak", memory.peak()}};
}

// Returns the settings that select this strategy in the experiment.
Json settingsOf(const RunConfig& config) {
    Json settings = {{"parallel.strategy", nameOf(config.parallel.strategy)}};
    const StrategyKind strategy = config.parallel.strategy;
    if (strategy == StrategyKind::kFsdp) settings["fsdp.shard"] = nameOf(config.fsdp.shard);
    if (strategy == StrategyKind::kPipeline) {
        settings["pipeline.schedule"] = nameOf(config.pipeline.schedule);
        settings["pipeline.micro_batches"] = config.pipeline.microBatches;
        settings["pipeline.stages_per_rank"] = config.pipeline.stagesPerRank;
    }
    if (config.mesh.replicate > 0) settings["mesh.replicate"] = config.mesh.replicate;
    if (config.mesh.shard > 0) settings["mesh.shard"] = config.mesh.shard;
    if (config.mesh.pipeline > 0) settings["mesh.pipeline"] = config.mesh.pipeline;
    if (!config.pipeline.split.empty()) settings["pipeline.split"] = config.pipeline.split;
    if (!config.pipeline.scheduleFile.empty()) settings["pipeline.schedule_file"] = config.pipeline.scheduleFile;
    return settings;
}

}  // namespace

Json StrategyLine::toJson() const {
    Json json = {{"strategy", choice.name},
                 {"options", choice.options},
                 {"current", choice.isCurrent},
                 {"suits", choice.whyNot.empty()},
                 {"why_not", choice.whyNot.empty() ? Json(nullptr) : Json(choice.whyNot)},
                 {"settings", settingsOf(choice.config)},
                 {"memory", nullptr},
                 {"memory_per_rank", nullptr},
                 {"bytes_per_step", nullptr},
                 {"idle_share", nullptr},
                 {"idle_share_of_stages", nullptr},
                 {"samples_per_step", nullptr},
                 {"expected_step_ms", nullptr},
                 {"expected_samples_per_second", nullptr},
                 {"limited_by", nullptr},
                 {"measured_step_ms", nullptr},
                 {"measured_samples_per_second", nullptr},
                 {"measured_idle_share", nullptr},
                 {"measured_memory_per_rank", nullptr}};
    if (choice.cost) {
        json["memory"] = Json::array();
        for (const PredictedMemory& one : choice.cost->memory) json["memory"].push_back(jsonOf(one));
        json["memory_per_rank"] = choice.cost->largestPeak();
        json["bytes_per_step"] = Json::array();
        for (const StepTraffic& one : choice.cost->traffic) json["bytes_per_step"].push_back(one.total());
        json["idle_share"] = choice.cost->idleShare;
        json["idle_share_of_stages"] = choice.cost->time.idleShare();
        json["samples_per_step"] = choice.cost->samplesPerStep;
        json["expected_samples_per_second"] = choice.cost->samplesPerSecond();
        json["expected_step_ms"] = choice.cost->time.total() * 1e3;
        json["limited_by"] = limitText(choice.cost->time.limit());
    }
    if (measured) {
        json["measured_step_ms"] = measured->stepMs;
        json["measured_samples_per_second"] = measuredSamplesPerSecond();
        if (measured->idleShare) json["measured_idle_share"] = *measured->idleShare;
        if (measured->peak > 0) json["measured_memory_per_rank"] = measured->peak;
    }
    if (!problem.empty()) json["problem"] = problem;
    if (const std::string text = note(); !text.empty()) json["note"] = text;
    return json;
}

double StrategyLine::measuredSamplesPerSecond() const {
    return static_cast<double>(choice.cost->samplesPerStep) / (measured->stepMs / 1e3);
}

std::string StrategyLine::note() const {
    if (!measured) return {};
    std::string text;
    if (measured->divergedAt)
        text = "the loss diverged at step " + std::to_string(*measured->divergedAt) +
               "; the measured time is valid: lower optimizer.lr before you train";
    const std::int64_t ranks = choice.config.parallel.worldSize;
    const bool idles = measured->idleShare.value_or(0) > 0;
    if (!idles || measured->processors == 0 || ranks <= measured->processors) return text;
    return text + (text.empty() ? "" : "; ") +
           fmt::format(
               "{} ranks on {}: the measured idle share is not comparable with the expected one, because it "
               "includes the time in which a rank that could compute waits for a CPU",
               ranks, counted(measured->processors, "CPU"));
}

std::string StrategyLine::heading(const StrategyColumns& columns) {
    return rowOf(
        "  Strategy", "Options",
        {"Memory/rank", "Bytes/step", "Samples/step", "Idle", "Expected", "Samples/s", "Measured", "Samples/s", "Idle"},
        "Limited by", columns);
}

std::string StrategyLine::text(const StrategyColumns& columns) const {
    const std::string name = (choice.isCurrent ? "* " : "  ") + choice.name;
    if (!choice.cost || !choice.whyNot.empty())
        return leftAligned(name, kNameWidth) + leftAligned(choice.options, columns.options + 1) +
               "not possible: " + choice.whyNot;
    const StrategyCost& cost = *choice.cost;
    std::vector<std::string> cells{memoryText(cost.largestPeak()),        memoryText(cost.largestTraffic()),
                                   std::to_string(cost.samplesPerStep),   percent(cost.time.idleShare()),
                                   milliseconds(cost.time.total() * 1e3), rate(cost.samplesPerSecond())};
    if (measured) {
        cells.push_back(milliseconds(measured->stepMs));
        cells.push_back(rate(measuredSamplesPerSecond()));
        cells.push_back(measured->idleShare ? percent(*measured->idleShare) : "");
    } else if (!problem.empty()) {
        cells.emplace_back("failed");
    }
    std::string last = problem.empty() ? limitText(cost.time.limit()) : problem;
    if (const std::string text = note(); !text.empty()) last += "; " + text;
    return rowOf(name, choice.options, cells, last, columns);
}

StrategyColumns StrategyColumns::of(const std::vector<StrategyLine>& lines, bool measured) {
    StrategyColumns columns{.options = std::string_view("Options").size(), .measured = measured};
    for (const StrategyLine& line : lines)
        columns.options = std::clamp(line.choice.options.size(), columns.options, kLongestOptions);
    return columns;
}

}  // namespace ringside
