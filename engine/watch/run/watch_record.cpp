// SPDX-License-Identifier: Apache-2.0
#include "watch/run/watch_record.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/json/json.h"
#include "base/system/files.h"
#include "base/system/unique_fd.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kRoom = 2048;  // number of blanks at the end of the first line, so that a longer line can
                                     // overwrite it when the run ends

std::string lineOf(const Event& event) {
    std::string line = encode(event);
    line.pop_back();  // removes the newline
    return line;
}

SummaryFinding summaryOf(const Finding& finding) {
    SummaryFinding one{.code = finding.code,
                       .severity = std::string(severityName(finding.severity)),
                       .text = finding.text,
                       .where = {},
                       .evidence = {},
                       .remedy = finding.remedy};
    if (!finding.where.empty()) one.where = finding.where;
    if (Result<Json> evidence = parseJson(finding.evidence, "evidence"); evidence) one.evidence = evidence.value();
    return one;
}

}  // namespace

WatchRecord::WatchRecord(RunPaths paths, Options options)
    : m_paths(std::move(paths)), m_options(std::move(options)), m_seen(m_options.name) {}

void WatchRecord::record(const Event& event, std::string_view line, std::int64_t nowUs) {
    if (!m_firstUs) m_firstUs = nowUs;
    m_seen.add(event);
    if (m_recorder) return writeEvent(event, line);
    m_waiting.push_back({event, std::string(line)});
    tick(nowUs);
}

void WatchRecord::beginAttempt() {
    if (m_seen.worldSize() == 0) return;
    flush();  // the events of the failed attempt must be written before repeated epochs are accepted
    m_recorder->acceptRepeatedEpochs();
    m_epochs->beginAttempt();
}

void WatchRecord::add(const Event& event, std::int64_t nowUs) {
    if (m_recorder) {
        m_recorder->add(event);
    } else {
        m_waiting.push_back({event, lineOf(event)});
    }
    tick(nowUs);
}

void WatchRecord::log(LogLevel level, const std::string& text, std::int64_t nowUs) {
    add(LogLine{-1, level, text, nowUs}, nowUs);
}

void WatchRecord::tick(std::int64_t nowUs) {
    if (m_seen.isTraining() && !m_stepUs) m_stepUs = nowUs;
    if (m_recorder) {
        const bool hasLoader = m_seen.isTraining() && m_seen.hasTrainingLoader();
        if (hasLoader && !std::exchange(m_hasLoader, true)) rewriteRunLine(false);
        return m_recorder->flush();
    }
    if (isDue(nowUs)) beginRecord();
}

// True if the record can begin, because the facts for its first line are known, or because a limit of WatchRecord has
// passed: kLoaderUs, kPatienceUs or kMaxWaiting.
bool WatchRecord::isDue(std::int64_t nowUs) const {
    if (m_seen.worldSize() == 0) return false;
    const bool isKnown = m_stepUs && (m_seen.hasTrainingLoader() || nowUs - *m_stepUs > kLoaderUs);
    const bool isLate = m_firstUs && (nowUs - *m_firstUs > kPatienceUs || m_waiting.size() > kMaxWaiting);
    return isKnown || isLate;
}

void WatchRecord::flush() {
    if (!m_recorder) beginRecord();
    m_recorder->flush();
}

std::string WatchRecord::incompletenessReason() const {
    if (!m_recorder || !m_recorder->fullDisk()) return {};
    const RunRecorder::FullDisk& full = *m_recorder->fullDisk();
    return "the record ends after step " + std::to_string(full.step) + ": " + full.why;
}

// Writes config.json and the first line of telemetry.jsonl, and records the events that arrived before the
// configuration was known.
void WatchRecord::beginRecord() {
    const RecordedRun run = m_seen.recorded(false);
    writeFileAtomically(m_paths.config(), m_seen.configText(2) + "\n");
    m_recorder = std::make_unique<RunRecorder>(m_paths, run);
    m_hasLoader = m_seen.isTraining() && m_seen.hasTrainingLoader();
    m_epochs.emplace(run.worldSize);
    std::string line = firstLine(run, false);
    line.append(kRoom, ' ');
    m_runLineBytes = line.size();
    m_recorder->record(decodeLine(line).value(), line);
    for (const Waiting& one : std::exchange(m_waiting, {})) writeEvent(one.event, one.line);
}

void WatchRecord::writeEvent(const Event& event, std::string_view line) {
    m_recorder->record(event, line);
    const auto* steps = std::get_if<StepsFrame>(&event);
    if (steps == nullptr) return;
    for (const EpochResult& result : m_epochs->add(*steps)) m_recorder->add(result);
}

std::string WatchRecord::firstLine(const RecordedRun& run, bool ended) const {
    RunStarted started = runLine(m_paths, run, m_options.startedUnixMs);
    if (!ended) started.epochs = 0;  // a script does not report how many epochs it will train
    return lineOf(started);
}

RunEnded WatchRecord::finish(RunEnded end, Conclusions conclusions) {
    flush();
    for (const EpochResult& result : m_epochs->finish()) m_recorder->add(result);
    RunRecorder::Watched watched{
        m_seen.framework(), m_options.continues, {}, std::move(conclusions.checks), std::move(conclusions.samples)};
    for (const Finding& finding : conclusions.findings) {
        m_recorder->add(finding);
        watched.findings.push_back(summaryOf(finding));
    }
    for (std::size_t restart = 0; restart < conclusions.restarts; ++restart) m_recorder->countRestart();
    m_recorder->complete(m_seen.recorded(true), std::move(watched));
    writeFileAtomically(m_paths.config(), m_seen.configText(2) + "\n");
    rewriteRunLine(true);
    return m_recorder->finish(std::move(end));
}

// Replaces the first line by one that describes what is known now. The line was padded with blanks, which JSON allows,
// so that it can be replaced in place.
void WatchRecord::rewriteRunLine(bool ended) const {
    std::string line = firstLine(m_seen.recorded(ended), ended);
    if (line.size() > m_runLineBytes) return;
    line.append(m_runLineBytes - line.size(), ' ');
    m_recorder->flush();
    const UniqueFd file(::open(m_paths.telemetry().c_str(), O_RDWR | O_CLOEXEC));
    std::string begin(m_runLineBytes + 1, '\0');
    if (!file || ::pread(file.get(), begin.data(), begin.size(), 0) != static_cast<ssize_t>(begin.size())) return;
    if (begin.back() != '\n' || !begin.starts_with("{\"kind\":\"run\"")) return;
    [[maybe_unused]] const ssize_t written = ::pwrite(file.get(), line.data(), line.size(), 0);
}

}  // namespace ringside
