// SPDX-License-Identifier: Apache-2.0
#include "run/record/run_recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include "base/errors/errors.h"
#include "base/json/json_members.h"
#include "base/system/atomic_file.h"
#include "base/system/files.h"
#include "run/checkpoint/checkpoint_manifest.h"
#include "telemetry/data/dropped_text.h"
#include "telemetry/data/open_steps.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxFinalBytes = 96U << 10;  // maximum size of the lines written after recording has stopped, in
                                                   // bytes; less than half of SpaceReserve::kFinalBytes
// interval at which the size of the other files is measured, in microseconds
constexpr std::int64_t kMeasureUs = 5000000;
constexpr std::size_t kMaxMismatches = 16;
constexpr std::size_t kMaxReportedMismatches = 3;
// Longest wait at the end of the run until the remaining trained samples have been compared with the assigned samples.
constexpr std::chrono::milliseconds kAuditPatience{500};

std::string logText(const LogLine& line) {
    const std::string who = line.rank < 0 ? "supervisor" : "rank " + std::to_string(line.rank);
    return fmt::format("{:10.3f} s  {:<10}  {:<7}  {}\n", static_cast<double>(line.timeUs) / 1e6, who,
                       textOf(line.level), line.text);
}

std::string withoutNewline(std::string line) {
    line.pop_back();
    return line;
}

}  // namespace

RunRecorder::RunRecorder(const RunPaths& paths, const RecordedRun& run)
    : m_paths(paths),
      m_run(run),
      m_reserve(paths.directory),
      m_budget(run.limits),
      m_epochs(m_budget, run.worldSize, run.epochs),
      m_telemetry(paths.telemetry(), m_budget, m_epochs,
                  {.worldSize = run.worldSize, .stepsBefore = run.stepsBefore, .logEvery = run.logEvery}),
      m_metrics(paths.metrics(), m_budget, m_epochs,
                {.paddedFirst = run.paddedValidation, .stepsBefore = run.stepsBefore, .logEvery = run.logEvery}),
      m_log(paths.log()),
      m_traces(paths, run.worldSize, TraceRecord::maxBytesWithin(run.limits.megabytesTotal)),
      m_data(Curves::kLeftOut) {
    m_flushedStep = run.stepsBefore;
    if (run.audit) m_watch.emplace(*run.audit);
    m_data.onGlobalStep = [this](const GlobalStep& step) {
        if (m_firstStepUs < 0) m_firstStepUs = step.timeUs;
        writeUnlessFull([&] { m_metrics.add(step); });
    };
}

// Calls `write`. If the disk refuses the data, stops the recording instead of throwing: the ranks continue, so that
// they can save their weights.
template <class Write>
void RunRecorder::writeUnlessFull(Write&& write) {
    if (m_full) return;
    try {
        write();
    } catch (const IoError& error) {
        stopRecording(error.what());
    }
}

unsigned RunRecorder::record(const Event& event, std::string_view line) {
    if (std::holds_alternative<StepTrace>(event)) {
        writeUnlessFull([&] { m_traces.add(line); });
        return m_data.apply(event);
    }
    const std::optional<StepsFrame> fresh = m_repeats.withoutRepeats(event);
    if (m_repeats.isRepeated(event)) return 0;
    return fresh ? recordNew(*fresh, withoutNewline(encode(*fresh))) : recordNew(event, line);
}

unsigned RunRecorder::recordNew(const Event& event, std::string_view line) {
    writeUnlessFull([&] { m_telemetry.add(event, line); });
    if (m_full) addFinalEvents(event, line);
    handleEvent(event);
    const unsigned changes = m_data.apply(event);
    const auto* state = std::get_if<RankState>(&event);
    if (state != nullptr && !state->isa.empty()) warnOfInstructionSets();
    if (const auto* beat = std::get_if<Heartbeat>(&event)) warnOfDrops(*beat);
    return changes;
}

unsigned RunRecorder::add(const Event& event) {
    return record(event, withoutNewline(encode(event)));
}

void RunRecorder::handleEvent(const Event& event) {
    if (const auto* line = std::get_if<LogLine>(&event)) writeUnlessFull([&] { writeLog(*line); });
    if (const auto* state = std::get_if<RankState>(&event)) recordTrainingState(*state);
    if (const auto* consumed = std::get_if<Consumed>(&event); consumed && m_watch) m_watch->add(*consumed);
    if (const auto* indices = std::get_if<ConsumedIndices>(&event); indices && m_watch) m_watch->add(*indices);
    if (const auto* controlled = std::get_if<Controlled>(&event)) m_metrics.add(*controlled);
    if (const auto* scalar = std::get_if<LoggedScalar>(&event)) writeUnlessFull([&] { m_metrics.add(*scalar); });
    if (const auto* epoch = std::get_if<EpochResult>(&event)) {
        m_metrics.add(*epoch);
        writeUnlessFull([&] { m_metrics.writeEpochsUpTo(m_data.lastStep() ? m_data.lastStep()->step : 0); });
    }
}

void RunRecorder::writeLog(const LogLine& line) {
    const std::string text = logText(line);
    if (m_budget.spend(RecordKind::kLog, text.size())) m_log.add(text);
}

// Stops writing telemetry to the run directory. Releases half of the reserved disk space, so that important lines can
// still be written until the end of the run.
void RunRecorder::stopRecording(const std::string& why) {
    m_full = FullDisk{m_flushedStep, why};
    m_reserve.shrinkTo(SpaceReserve::kFinalBytes / 2);
    add(LogLine{-1, LogLevel::kError, why + "; recording stops after step " + std::to_string(m_full->step),
                m_data.lastTimeUs()});
}

// Writes a log line, rank state or saved checkpoint after recording has stopped, because viewers need these lines.
// Skips other events, and lines beyond kMaxFinalBytes bytes in total.
void RunRecorder::addFinalEvents(const Event& event, std::string_view line) {
    const bool counts = std::holds_alternative<LogLine>(event) || std::holds_alternative<RankState>(event) ||
                        std::holds_alternative<CheckpointSaved>(event);
    if (!counts || m_finalBytes + line.size() > kMaxFinalBytes) return;
    m_finalBytes += line.size();
    try {
        m_telemetry.addVital(std::string(line).append("\n"));
        m_telemetry.flushFile();
        if (const auto* log = std::get_if<LogLine>(&event)) m_log.add(logText(*log));
        m_log.flush();
    } catch (const IoError&) {
        // Other programs have filled the released space: no further line is written before the end of the run. The
        // latest log line is stored and written then.
        m_finalBytes = kMaxFinalBytes;
        if (const auto* log = std::get_if<LogLine>(&event)) m_unwrittenLog = logText(*log);
    }
}

void RunRecorder::recordTrainingState(const RankState& state) {
    // A rank reports "training" again after each validation. Only its first report counts.
    if (state.state != RankStage::kTraining || !m_trainingRanks.insert(state.rank).second) return;
    m_trainingFromUs = std::max(m_trainingFromUs, state.timeUs);
}

// Logs a warning once, as soon as all ranks have reported their instruction sets and these differ.
void RunRecorder::warnOfInstructionSets() {
    const std::optional<std::vector<std::string>> isa = instructionSets();
    if (!isa || m_warnedOfIsa) return;
    const std::string warning = instructionSetWarning(*isa);
    if (warning.empty()) return;
    m_warnedOfIsa = true;
    add(LogLine{-1, LogLevel::kWarning, warning, m_data.lastTimeUs()});
}

// Logs a warning once, when a heartbeat first reports that a rank could not send a part of its telemetry.
void RunRecorder::warnOfDrops(const Heartbeat& beat) {
    if (m_warnedOfDrops || beat.droppedSteps + beat.droppedEvents == 0) return;
    m_warnedOfDrops = true;
    add(LogLine{-1, LogLevel::kWarning,
                "rank " + std::to_string(beat.rank) + " could not send " +
                    droppedText(beat.droppedSteps, beat.droppedEvents) +
                    " of its telemetry in time: curves, traces and checks have gaps, training is not affected",
                m_data.lastTimeUs()});
}

void RunRecorder::applyFindings(const PlanResults& news) {
    m_auditedEpochs += static_cast<std::int64_t>(news.auditedEpochs.size());
    for (const PlanMismatch& mismatch : news.mismatches) {
        if (m_mismatches.size() == kMaxMismatches) return;
        m_mismatches.push_back(mismatch);
        if (m_mismatches.size() > kMaxReportedMismatches) continue;
        add(LogLine{-1, LogLevel::kError, "differs from the plan: " + mismatch.text(), m_data.lastTimeUs()});
    }
}

void RunRecorder::complete(RecordedRun run, Watched watched) {
    m_run = std::move(run);
    m_watched = std::move(watched);
}

void RunRecorder::startNewFiles(std::string_view firstLine) {
    m_telemetry.startNewFile(m_paths.telemetry(), firstLine);
    m_metrics.startNewFile(m_paths.metrics());
    m_log = AppendFile(m_paths.log());
}

void RunRecorder::flush() {
    if (m_watch) applyFindings(m_watch->takeResults());
    const std::int64_t now = m_data.lastTimeUs();
    m_budget.advance(now);
    if (now - m_measuredUs > kMeasureUs) {
        m_measuredUs = now;
        m_budget.setOtherFileBytes(bytesOfOthers());
    }
    writeUnlessFull([&] {
        m_traces.flush();
        m_telemetry.flush(now);
        m_metrics.flush();
        m_log.flush();
        m_flushedStep = m_data.lastStep() ? m_data.lastStep()->step : m_run.stepsBefore;
    });
    logLeftOut();
}

void RunRecorder::logLeftOut() {
    if (m_loggedLeftOut || m_budget.linesLeftOut() == 0) return;
    m_loggedLeftOut = true;
    const TelemetryConfig& limits = m_run.limits;
    add(LogLine{-1, LogLevel::kWarning,
                "the run directory may grow by " + std::to_string(limits.megabytesPerHour) + " MiB per hour and to " +
                    std::to_string(limits.megabytesTotal) +
                    " MiB in total; data beyond these limits is not recorded (telemetry.megabytes_per_hour, "
                    "telemetry.megabytes_total)",
                m_data.lastTimeUs()});
}

// Returns the total size of the files in the run directory other than checkpoints, telemetry, metrics and log, in
// bytes.
std::int64_t RunRecorder::bytesOfOthers() const {
    namespace fs = std::filesystem;
    const std::set<fs::path> ours = {m_paths.telemetry(), m_paths.metrics(), m_paths.log()};
    std::int64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator one(m_paths.directory, error), end; !error && one != end;
         one.increment(error)) {
        if (one->path().filename() == kCheckpointsName) one.disable_recursion_pending();
        std::error_code gone;
        if (ours.contains(one->path()) || !one->is_regular_file(gone)) continue;
        const std::uintmax_t size = one->file_size(gone);
        if (!gone) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

// Tries to write each part of the record, even if an earlier part failed. The first failure becomes the outcome, unless
// the run has failed already.
RunEnded RunRecorder::finish(RunEnded end) {
    const auto attempt = [&](auto&& part) {
        try {
            part();
        } catch (const IoError& error) {
            if (end.state == RunOutcome::kFailed) return;  // the outcome keeps the first failure
            end.state = RunOutcome::kFailed;
            end.exitCode = static_cast<int>(error.exitCode());
            end.verdict = error.what();
        }
    };
    measure(end);
    judgeTime(end);
    if (end.state == RunOutcome::kFailed) attempt([&] { addOpenSteps(); });
    attempt([&] {
        if (m_watch) applyFindings(m_watch->finish(kAuditPatience));
    });
    if (m_auditedEpochs > 0 || !m_mismatches.empty()) end.planVerified = m_mismatches.empty();
    if (!m_mismatches.empty()) end.planMismatch = m_mismatches.front().text();
    end.auditedEpochs = m_auditedEpochs;
    if (!m_full) {
        attempt([&] { m_traces.flush(); });
        attempt([&] { m_metrics.finish(); });
        attempt([&] { m_telemetry.finish(); });
        attempt([&] { m_metrics.flush(); });
        attempt([&] { m_log.flush(); });
        attempt([&] { m_telemetry.flush(m_data.lastTimeUs()); });
    }
    describeFullDisk(end);
    m_reserve.release();  // gives back the disk space that is reserved for the last lines and the summary
    const LogLine verdict{-1, end.state == RunOutcome::kFailed ? LogLevel::kError : LogLevel::kInfo, end.verdict,
                          end.timeUs};
    m_data.apply(verdict);
    attempt([&] { m_telemetry.addVital(encode(verdict)); });
    attempt([&] { m_log.add(m_unwrittenLog + logText(verdict)); });
    attempt([&] { m_log.flush(); });
    attempt([&] { writeSummary(end); });
    m_data.apply(end);
    attempt([&] { m_telemetry.addVital(encode(end)); });  // the end line is written last: a reader that finds it has a
                                                          // complete run directory
    attempt([&] { m_telemetry.flushFile(); });
    return end;
}

// Calls `write` with each file of the summary and its text. If the weights were saved outside of the run directory, a
// copy of summary.json is beside them.
template <class Write>
void RunRecorder::writeSummaries(RunEnded end, const Write& write) const {
    measure(end);
    const std::string text = jsonText(toJson(summary(end)), 2) + "\n";
    if (!m_data.checkpoints().empty()) {
        const std::filesystem::path last = m_data.checkpoints().back().path;
        if (last.is_absolute()) write(RunPaths(last.parent_path().parent_path()).summary(), text);
    }
    write(m_paths.summary(), text);
}

void RunRecorder::writeSummaryQuickly(RunEnded end) const {
    writeSummaries(std::move(end), [](const std::filesystem::path& path, const std::string& text) {
        AtomicFile file(path);
        file.write(0, std::as_bytes(std::span(text)));
        file.commitWithoutSync();
    });
}

void RunRecorder::writeSummary(RunEnded end) const {
    writeSummaries(std::move(end),
                   [](const std::filesystem::path& path, const std::string& text) { writeFileAtomically(path, text); });
}

// Turns the outcome into a failure if writing the run directory stopped, even if all ranks ended well. The outcome of a
// watched script does not change: a sentence about the missing data is added to it.
void RunRecorder::describeFullDisk(RunEnded& end) const {
    if (!m_full) return;
    if (m_watched) {
        end.verdict += "; the record ends after step " + std::to_string(m_full->step) + ": " + m_full->why;
        return;
    }
    if (end.state == RunOutcome::kFailed) return;
    end.state = RunOutcome::kFailed;
    end.exitCode = static_cast<int>(ExitCode::kBadConfiguration);
    end.verdict = m_full->why + "; recording stopped after step " + std::to_string(m_full->step);
    if (!m_data.checkpoints().empty()) {
        const CheckpointSaved& last = m_data.checkpoints().back();
        end.verdict += ", the weights of step " + std::to_string(last.step) + " are saved in " + last.path +
                       ": ringsidectl run --resume continues from there";
    }
}

// Adds a trace of the unfinished step of each rank that was stopped or killed before it could report this step.
void RunRecorder::addOpenSteps() {
    for (const OpenStep& open : openSteps(m_data))
        if (!open.isReported) add(traceOf(open));
}

std::int64_t RunRecorder::stepsDone() const {
    std::int64_t steps = m_data.lastStep() ? m_data.lastStep()->step : 0;
    if (!m_data.trainingEpochs().empty()) steps = std::max(steps, m_data.trainingEpochs().back().step);
    if (!m_data.checkpoints().empty()) steps = std::max(steps, m_data.checkpoints().back().step);
    return steps;
}

// Returns the number of samples in `steps` steps, extrapolated from the logged steps. If no step was logged, returns
// the sum of the epoch results.
double RunRecorder::samplesDone(std::int64_t steps) const {
    if (m_data.lastStep()) {
        const auto logged = static_cast<double>(m_data.lastStep()->step - m_run.stepsBefore);
        return static_cast<double>(m_data.lastStep()->samplesSoFar) * static_cast<double>(steps) / logged;
    }
    double samples = 0;
    for (const EpochResult& epoch : m_data.trainingEpochs()) samples += static_cast<double>(epoch.samples);
    return samples;
}

void RunRecorder::measure(RunEnded& end) const {
    end.steps = stepsDone();
    if (end.steps == 0) return;
    std::int64_t untilUs = m_data.lastStep() ? m_data.lastStep()->timeUs : 0;
    for (const auto* epochs : {&m_data.trainingEpochs(), &m_data.validationEpochs()}) {
        if (!epochs->empty()) untilUs = std::max(untilUs, epochs->back().timeUs);
    }
    const std::int64_t fromUs = m_trainingFromUs >= 0 ? m_trainingFromUs : std::max<std::int64_t>(m_firstStepUs, 0);
    end.trainSeconds = static_cast<double>(untilUs - fromUs - m_data.pausedUs()) / 1e6;
    if (end.trainSeconds <= 0) return;
    const std::int64_t ownSteps = std::max<std::int64_t>(end.steps - m_run.stepsBefore, 0);
    end.stepsPerSecond = static_cast<double>(ownSteps) / end.trainSeconds;
    end.samplesPerSecond = samplesDone(ownSteps) / end.trainSeconds;
}

}  // namespace ringside
