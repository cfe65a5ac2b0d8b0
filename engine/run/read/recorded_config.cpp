// SPDX-License-Identifier: Apache-2.0
#include "run/read/recorded_config.h"

#include <fstream>
#include <string>
#include <utility>
#include <variant>

#include "base/json/json.h"
#include "base/json/json_members.h"
#include "config/choices.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr int kMaxLines = 100;  // maximum number of lines that are searched for the event that begins the record

std::string configInTelemetry(const RunPaths& paths) {
    std::ifstream in(paths.telemetry());
    std::string line;
    for (int count = 0; count < kMaxLines && std::getline(in, line); ++count) {
        const Result<Event> event = decodeLine(line);
        if (!event) continue;
        if (const auto* started = std::get_if<RunStarted>(&event.value())) return started->config;
    }
    return {};
}

}  // namespace

Result<Json> readRecordedJson(const RunPaths& paths) {
    Result<Json> file = readJsonFile(paths.config());
    if (file) return file;
    Result<Json> recorded = parseJson(configInTelemetry(paths), paths.telemetry().string());
    return recorded ? std::move(recorded) : std::move(file);
}

Result<RunConfig> readRecordedConfig(const RunPaths& paths) {
    const Result<Json> json = readRecordedJson(paths);
    if (!json) return json.problem();
    return RunConfig::fromJson(json.value());
}

bool isOfWatchedScript(const RunPaths& paths) {
    const Result<Json> config = readRecordedJson(paths);
    if (!config) return false;
    const Json* const dataset = findMember(config.value(), "dataset");
    return dataset != nullptr && stringIn(*dataset, "kind") == nameOf(DatasetKind::kExternal);
}

}  // namespace ringside
