// SPDX-License-Identifier: Apache-2.0
#include "run/record/telemetry_record.h"

#include <algorithm>
#include <utility>

#include "telemetry/events/codec.h"

namespace ringside {
namespace {

// Used fraction of the budget for steps up to which steps are written one by one. The rest is reserved for windows of
// several steps.
constexpr double kMaxOfSingles = 0.9;
constexpr std::int64_t kPendingIntervalUs = 1000000;  // interval at which pending heartbeats and states are
                                                      // written, in microseconds; each halving doubles it

// Returns a copy of a frame that contains single steps (not windows of steps), reduced to its first `count` steps.
StepsFrame headOf(const StepsFrame& frame, std::size_t count) {
    StepsFrame head = frame;
    const auto cut = [count](auto& column) { column.resize(std::min(column.size(), count)); };
    for (auto* column : {&head.step, &head.samples, &head.endUs, &head.dataUs}) cut(*column);
    for (auto* column : {&head.loss, &head.correct, &head.gradientNorm}) cut(*column);
    return head;
}

std::string withNewline(std::string_view line) {
    return std::string(line).append("\n");
}

// Returns the line of a gradient event without the gradient values and their labels, without a newline.
std::string withoutCells(GradientView view) {
    for (auto* list : {&view.rows, &view.columns}) list->clear();
    view.cells.clear();
    view.tensorNorms.clear();
    view.ring.clear();
    if (view.checksums.empty()) view.names.clear();
    std::string line = encode(std::move(view));
    line.pop_back();  // removes the newline
    return line;
}

RecordKind kindOf(const Event& event) {
    if (std::holds_alternative<ConsumedIndices>(event)) return RecordKind::kSamples;
    if (std::holds_alternative<PhaseReached>(event)) return RecordKind::kSamples;
    if (std::holds_alternative<ScriptFacts>(event)) return RecordKind::kSamples;
    if (std::holds_alternative<LoggedScalar>(event)) return RecordKind::kSteps;
    if (std::holds_alternative<LogLine>(event)) return RecordKind::kLog;
    return RecordKind::kVital;
}

}  // namespace

TelemetryRecord::TelemetryRecord(const std::filesystem::path& path, RecordBudget& budget, EpochGate& epochs,
                                 const Options& options)
    : m_file(path),
      m_budget(budget),
      m_epochs(epochs),
      m_steps(options.stepsBefore, options.logEvery),
      m_skipsReplica(static_cast<std::size_t>(std::max(options.worldSize, 1))),
      m_reports(m_skipsReplica.size()) {
    for (std::size_t rank = 0; rank < m_reports.size(); ++rank) m_windows.emplace_back(static_cast<int>(rank));
}

void TelemetryRecord::add(const Event& event, std::string_view line) {
    const auto known = [this](int rank) { return rank >= 0 && static_cast<std::size_t>(rank) < m_reports.size(); };
    if (const auto* frame = std::get_if<StepsFrame>(&event)) {
        if (known(frame->rank)) addSteps(*frame, line);
    } else if (const auto* state = std::get_if<RankState>(&event)) {
        if (known(state->rank)) addReport(state->rank, true, line);
    } else if (const auto* beat = std::get_if<Heartbeat>(&event)) {
        if (known(beat->rank)) addReport(beat->rank, false, line);
    } else if (const auto* result = std::get_if<EpochResult>(&event)) {
        if (m_epochs.isRecorded(result->epoch)) m_file.add(withNewline(line));
    } else if (const auto* local = std::get_if<LocalResult>(&event)) {
        if (m_epochs.isRecorded(local->epoch)) m_file.add(withNewline(line));
    } else if (const auto* consumed = std::get_if<Consumed>(&event)) {
        if (!known(consumed->rank)) return;
        const bool keeps = m_epochs.isRecorded(consumed->epoch);
        m_skipsReplica[static_cast<std::size_t>(consumed->rank)] = !keeps;
        if (keeps) m_file.add(withNewline(line));
    } else if (const auto* replica = std::get_if<Replica>(&event)) {
        const bool skips = known(replica->rank) && m_skipsReplica[static_cast<std::size_t>(replica->rank)];
        if (!skips) m_file.add(withNewline(line));
    } else if (const auto* gradients = std::get_if<GradientView>(&event)) {
        addGradients(*gradients, line);
    } else {
        const auto* controlled = std::get_if<Controlled>(&event);
        if (controlled != nullptr && controlled->command == ControlKind::kReplicas)
            m_requestedFrom = controlled->step + 1;
        write(kindOf(event), line);
    }
}

// True if a user has requested the gradients of this step. A request that arrives within a step applies to the next
// step.
bool TelemetryRecord::isRequested(std::int64_t step) const {
    return m_requestedFrom > 0 && (step == m_requestedFrom || step == m_requestedFrom + 1);
}

// Writes the gradient values of a step for all ranks or for no rank. Values of requested steps are written even if the
// budget is used up, at most kMaxRequestedBytes in a run. While little of the budget is used, the values of all other
// steps are written; then those of one step in 3 s; finally those of one step in 30 s. The norms need little
// space: the norms of all steps are written until the budget for gradients is used up.
void TelemetryRecord::addGradients(const GradientView& view, std::string_view line) {
    // Used fraction of the budget up to which the gradient values of a further step are written. The rest is reserved
    // for the same step of the other ranks.
    constexpr double kRoom = 0.5, kRoomSeldom = 0.85, kRoomLate = 0.95;
    constexpr std::int64_t kSeldomUs = 3'000'000, kLateUs = 30'000'000;
    const bool begins = view.step != std::exchange(m_gradientsOf, view.step);
    if (begins) m_wholeGradients = true;
    if (isRequested(view.step) && m_requestedBytes + line.size() <= kMaxRequestedBytes) {
        m_requestedBytes += line.size();
        return addVital(withNewline(line));
    }
    if (!m_wholeGradients || view.cells.empty()) return write(RecordKind::kGradients, withoutCells(view));
    const std::int64_t sinceUs = view.timeUs - m_wholeGradientsUs;
    const double upTo = !begins ? 1 : sinceUs >= kLateUs ? kRoomLate : sinceUs >= kSeldomUs ? kRoomSeldom : kRoom;
    if (m_budget.spend(RecordKind::kGradients, line.size() + 1, upTo)) {
        if (begins) m_wholeGradientsUs = view.timeUs;
        return m_file.add(withNewline(line));
    }
    m_wholeGradients = false;
    write(RecordKind::kGradients, withoutCells(view));
}

void TelemetryRecord::addSteps(const StepsFrame& frame, std::string_view line) {
    if (frame.step.empty()) return;
    StepWindows& windows = m_windows[static_cast<std::size_t>(frame.rank)];
    m_lastStep = std::max(m_lastStep, frame.step.back());
    std::size_t single = 0;
    while (!frame.isThinned() && single < frame.step.size() && m_steps.isSingle(frame.step[single])) ++single;
    const std::string head = single == frame.step.size() ? withNewline(line)
                             : single > 0                ? encode(headOf(frame, single))
                                                         : std::string();
    // Steps that are written one by one may not use the whole budget: windows of several steps are written later and
    // need a part of it.
    if (single > 0 && m_budget.spend(RecordKind::kSteps, head.size(), kMaxOfSingles)) m_file.add(head);
    if (single == frame.step.size()) return;
    if (!m_thinnedFrom) m_thinnedFrom = frame.step[single];
    windows.add(frame, single, m_steps);
}

// Writes a state or heartbeat at once while the budget suffices. After the first halving, keeps only the latest state
// and heartbeat of each rank for writePendingReports(), which writes them at an interval.
void TelemetryRecord::addReport(int rank, bool isState, std::string_view line) {
    PendingReports& reports = m_reports[static_cast<std::size_t>(rank)];
    (isState ? reports.state : reports.beat) = withNewline(line);
    if (m_budget.halvings(RecordKind::kHeartbeats) == 0) {
        writeWhole(RecordKind::kHeartbeats, isState ? reports.state : reports.beat);
        (isState ? reports.state : reports.beat).clear();
    }
}

void TelemetryRecord::writePendingReports(std::int64_t nowUs) {
    const std::int64_t interval = kPendingIntervalUs << m_budget.halvings(RecordKind::kHeartbeats);
    for (PendingReports& reports : m_reports) {
        if ((reports.state.empty() && reports.beat.empty()) || nowUs - reports.writtenUs < interval) continue;
        writeWhole(RecordKind::kHeartbeats, reports.state + reports.beat);
        reports = {{}, {}, nowUs};
    }
}

// Writes pending windows and states. Called before the end line of a run is written.
void TelemetryRecord::finish() {
    for (StepWindows& windows : m_windows) windows.finish();
    writeWindows();
    for (PendingReports& reports : m_reports) {
        if (!reports.state.empty()) writeWhole(RecordKind::kVital, reports.state);
        reports = {};
    }
}

void TelemetryRecord::writeWindows() {
    for (StepWindows& windows : m_windows) {
        for (StepsFrame& frame : windows.take()) writeWhole(RecordKind::kSteps, encode(std::move(frame)));
    }
}

void TelemetryRecord::flush(std::int64_t nowUs) {
    writeWindows();
    writePendingReports(nowUs);
    adjust();
    m_file.flush();
}

// Changes the width of the windows after the end of the window that contains the latest step. No rank has begun a later
// window, so that the width changes at the same step on all ranks.
void TelemetryRecord::adjust() {
    const int halvings = m_budget.halvings(RecordKind::kSteps);
    if (halvings == m_halvings) return;
    m_halvings = halvings;
    m_steps.widen(m_steps.windowOf(std::max<std::int64_t>(m_lastStep, 1)).last, halvings);
}

void TelemetryRecord::startNewFile(const std::filesystem::path& path, std::string_view firstLine) {
    m_file = AppendFile(path);
    m_file.add(firstLine);
}

void TelemetryRecord::addVital(const std::string& line) {
    m_budget.spend(RecordKind::kVital, line.size());
    m_file.add(line);
}

void TelemetryRecord::write(RecordKind kind, std::string_view line) {
    if (m_budget.spend(kind, line.size() + 1)) m_file.add(withNewline(line));
}

void TelemetryRecord::writeWhole(RecordKind kind, const std::string& lines) {
    if (m_budget.spend(kind, lines.size())) m_file.add(lines);
}

}  // namespace ringside
