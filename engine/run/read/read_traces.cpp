// SPDX-License-Identifier: Apache-2.0
#include "run/read/read_traces.h"

#include <array>
#include <string_view>
#include <variant>

#include "run/read/recorded_config.h"
#include "run/read/run_events.h"
#include "run/read/trace_follower.h"
#include "telemetry/events/codec.h"

namespace ringside {

Result<RecordedTraces> readTraces(const RunPaths& paths) {
    const Result<RunConfig> config = readRecordedConfig(paths);
    if (!config) return config.problem();
    RecordedTraces traces{TraceData(static_cast<int>(config.value().parallel.worldSize))};
    Decoder decoder;
    const auto keep = [&](const Event& event) {
        const auto* trace = std::get_if<StepTrace>(&event);
        ++(trace != nullptr && traces.data.apply(*trace) ? traces.lines : traces.badLines);
    };
    TraceFollower follower(paths);
    while (follower.advance([&](std::string_view lines) { decoder.feed(lines, keep); })) continue;
    traces.badLines += decoder.badLines();
    // Ignores a problem of telemetry.jsonl: without its commands, pauses between steps count as time of the steps.
    constexpr std::array<std::string_view, 1> kControl{"control"};
    static_cast<void>(readRunEvents(paths.directory, kControl, [&](const Event& event) {
        if (const auto* control = std::get_if<Controlled>(&event)) traces.data.apply(*control);
    }));
    if (traces.lines > 0) return traces;
    const std::string why =
        config.value().telemetry.trace == TraceLevel::kOff ? "telemetry.trace was off" : "no step was recorded";
    return Problem{paths.directory.string(), "contains no traced steps: " + why,
                   "run it again with --set telemetry.trace=phases"};
}

}  // namespace ringside
