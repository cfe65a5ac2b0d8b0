// SPDX-License-Identifier: Apache-2.0
#include "rank_life.h"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <system_error>
#include <utility>

#include "base/errors/errors.h"
#include "base/text/shared_text.h"
#include "limit_texts.h"
#include "run/prepare/resume_point.h"
#include "telemetry/events/sink.h"
#include "train/control/control_input.h"
#include "train/loop/rank_run.h"
#include "worker_devices.h"
#include "worker_hooks.h"

namespace ringside {
namespace {

RankResult fail(TelemetrySink& sink, const RankEnvironment& environment, const std::string& text, ExitCode code,
                int missingRank = -1) {
    const std::string rank = "rank " + std::to_string(environment.rank) + ": ";
    std::cerr << (text.starts_with(rank) ? "" : rank) << text << std::endl;
    const std::string sent = environment.isGuest ? withoutPrivateParts(text) : text;
    sink.log(LogLevel::kError, sent);
    sink.failed(missingRank);
    sink.flush(std::chrono::seconds(1));
    return {static_cast<int>(code), sent};
}

// Sets the number of epochs that a control command has set before the ranks were restarted.
void applyChangedEpochs(RunConfig& config) {
    const char* const text = std::getenv(kEpochsVariable);
    const std::int64_t epochs = text == nullptr ? 0 : std::atoll(text);
    if (epochs > 0) changeEpochs(config, epochs);
}

}  // namespace

RankResult runAsRank(const RankEnvironment& environment, const std::optional<RunConfig>& config, RankChannels& channels,
                     std::function<void()> onConnectionClosed, const std::string& startNote) {
    TelemetrySink sink(sinkOptionsOf(environment, channels));
    ControlInput control(channels.control.get(), std::move(onConnectionClosed),
                         [&sink](std::int64_t zeroUs) { sink.setStart(zeroUs); });
    const std::unique_ptr<RankHooks> hooks = makeRankHooks(environment);
    sink.send(RankState{environment.rank, RankStage::kStarting, "", getpid(), sink.nowUs()});
    if (!startNote.empty()) sink.log(LogLevel::kInfo, startNote);
    try {
        RunConfig used = config ? *config : readRankConfig(environment);
        if (!config) applyChangedEpochs(used);
        if (!environment.resume.empty()) used.training.resume = environment.resume;
        used.parallel.timeoutSeconds *= environment.timeoutFactor;
        return {
            static_cast<int>(runRank(environment, used, channels, sink, control, *makeWorkerDevices(), hooks.get())),
            {}};
    } catch (const CommError& error) {
        return fail(sink, environment, error.what(), error.exitCode(), error.missingRank());
    } catch (const Error& error) {
        return fail(sink, environment, error.what(), error.exitCode());
    } catch (const std::bad_alloc&) {
        return fail(sink, environment, outOfMemoryText(), ExitCode::kDeviceFailed);
    } catch (const std::system_error& error) {
        return fail(sink, environment, systemErrorText(error), ExitCode::kDeviceFailed);
    } catch (const std::exception& error) {
        return fail(sink, environment, std::string("unexpected: ") + error.what(), ExitCode::kInternal);
    }
}

}  // namespace ringside
