// SPDX-License-Identifier: Apache-2.0
#include "backend/step_recorder.h"

#include <algorithm>

#include "base/errors/errors.h"

namespace ringside {

void StepRecorder::run(const WorkKey& key, const std::function<void()>& work) {
    if (!m_possible) return work();
    const auto kept = std::find_if(m_kept.begin(), m_kept.end(), [&key](const Kept& one) { return one.key == key; });
    if (kept == m_kept.end()) return runAsItIs(key, work);
    std::rotate(m_kept.begin(), kept, kept + 1);
    Kept& current = m_kept.front();
    if (!current.recorded) current.recorded = record(work);
    if (!current.recorded) return work();
    current.recorded->launch();
}

void StepRecorder::runAsItIs(const WorkKey& key, const std::function<void()>& work) {
    const std::int64_t before = m_device.hostCopies();
    work();
    if (m_device.hostCopies() != before) return stopRecording("a step copies between host and device");
    if (m_kept.size() == kKept) m_kept.pop_back();
    m_kept.insert(m_kept.begin(), Kept{key, nullptr});
}

// Records the work without running it. Returns null if recording fails. The caller then runs the work normally, so that
// an error of the work itself occurs again and is reported.
std::unique_ptr<RecordedWork> StepRecorder::record(const std::function<void()>& work) {
    try {
        return m_device.record(work);
    } catch (const Error& error) {
        stopRecording(error.what());
        return nullptr;
    }
}

// Stops recording and replaying steps. Earlier recordings would remain valid, but then some steps would be replayed and
// others executed, which is harder to understand.
void StepRecorder::stopRecording(const std::string& why) {
    m_possible = false;
    if (m_log) m_log(why);
}

}  // namespace ringside
