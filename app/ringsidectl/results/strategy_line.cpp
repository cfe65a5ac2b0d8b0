// SPDX-License-Identifier: Apache-2.0
#include "results/strategy_line.h"

#include <array>
#include <cstdio>

#include "base/json/json.h"
#include "model/model_summary.h"

namespace ringside {
namespace {

constexpr std::array kWidths = {23, 36, 12, 12, 8, 11, 11};
using Cells = std::array<std::string, kWidths.size()>;

std::string withDigits(const char* format, double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), format, value);
    return text.data();
}

std::string lineOf(const Cells& cells, const std::string& last) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const auto width = static_cast<std::size_t>(kWidths[i]);
        const std::string gap(width > cells[i].size() ? width - cells[i].size() : 1, ' ');
        line += i < 2 ? cells[i] + gap : gap + cells[i];
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

// What to set for it, beside what the experiment says already.
Json settingsOf(const RunConfig& config) {
    Json settings = {{"parallel.strategy", config.parallel.strategy}};
    const std::string& strategy = config.parallel.strategy;
    if (strategy == "fsdp") settings["fsdp.shard"] = config.fsdp.shard;
    if (strategy == "pipeline") {
        settings["pipeline.schedule"] = config.pipeline.schedule;
        settings["pipeline.micro_batches"] = config.pipeline.microBatches;
        settings["pipeline.stages_per_rank"] = config.pipeline.stagesPerRank;
    }
    if (config.mesh.replicate > 0) settings["mesh.replicate"] = config.mesh.replicate;
    return settings;
}

}  // namespace

Json StrategyLine::toJson() const {
    Json json = {{"strategy", choice.name},
                 {"options", choice.options},
                 {"current", current},
                 {"suits", choice.whyNot.empty()},
                 {"why_not", choice.whyNot.empty() ? Json(nullptr) : Json(choice.whyNot)},
                 {"settings", settingsOf(choice.config)},
                 {"memory", nullptr},
                 {"memory_per_rank", nullptr},
                 {"bytes_per_step", nullptr},
                 {"idle_share", nullptr},
                 {"idle_share_of_stages", nullptr},
                 {"expected_step_ms", nullptr},
                 {"limited_by", nullptr},
                 {"measured_step_ms", nullptr},
                 {"measured_idle_share", nullptr},
                 {"measured_memory_per_rank", nullptr}};
    if (choice.cost) {
        json["memory"] = Json::array();
        for (const PredictedMemory& one : choice.cost->memory) json["memory"].push_back(jsonOf(one));
        json["memory_per_rank"] = choice.cost->largestPeak();
        json["bytes_per_step"] = Json::array();
        for (const StepTraffic& one : choice.cost->traffic) json["bytes_per_step"].push_back(one.all());
        json["idle_share"] = choice.cost->idleShare;
        json["idle_share_of_stages"] = choice.cost->time.idleShare();
        json["expected_step_ms"] = choice.cost->time.all() * 1e3;
        json["limited_by"] = limitText(choice.cost->time.limit());
    }
    if (measured) {
        json["measured_step_ms"] = measured->stepMs;
        if (measured->idleShare) json["measured_idle_share"] = *measured->idleShare;
        if (measured->peak > 0) json["measured_memory_per_rank"] = measured->peak;
    }
    if (!problem.empty()) json["problem"] = problem;
    return json;
}

std::string StrategyLine::heading() {
    return lineOf({"Strategy", "Options", "Memory/rank", "Bytes/step", "Idle", "Expected", "Measured"}, "Limited by");
}

std::string StrategyLine::text() const {
    const std::string name = (current ? "* " : "  ") + choice.name;
    if (!choice.cost || !choice.whyNot.empty()) {
        Cells cells{name, choice.options};
        std::string line = lineOf(cells, "");
        line.resize(static_cast<std::size_t>(kWidths[0] + kWidths[1]), ' ');
        return line + "does not suit: " + choice.whyNot;
    }
    const StrategyCost& cost = *choice.cost;
    return lineOf({name, choice.options, memoryText(cost.largestPeak()), memoryText(cost.mostBytes()),
                   withDigits("%.1f %%", cost.time.idleShare() * 100), withDigits("%.3g ms", cost.time.all() * 1e3),
                   measured          ? withDigits("%.3g ms", measured->stepMs)
                   : problem.empty() ? ""
                                     : "failed"},
                  problem.empty() ? limitText(cost.time.limit()) : problem);
}

}  // namespace ringside
