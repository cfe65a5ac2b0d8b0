// SPDX-License-Identifier: Apache-2.0
#include "backend/step_recorder.h"

#include "base/errors.h"

namespace ringside {

void StepRecorder::run(const WorkKey& key, const std::function<void()>& work) {
    if (m_recorded && key == m_recordedKey) return m_recorded->launch();
    if (m_possible && key == m_ran && record(key, work)) return m_recorded->launch();
    runAsItIs(key, work);
}

void StepRecorder::runAsItIs(const WorkKey& key, const std::function<void()>& work) {
    const std::int64_t before = m_device.hostCopies();
    work();
    if (m_device.hostCopies() != before) m_possible = false;
    // A smaller last batch between two whole ones does not make them new.
    if (!m_recorded || key.rows == m_recordedKey.rows) m_ran = key;
}

bool StepRecorder::record(const WorkKey& key, const std::function<void()>& work) {
    try {
        m_recorded = m_device.record(work);
        m_recordedKey = key;
        return true;
    } catch (const DeviceError&) {
        m_possible = false;
        return false;
    }
}

}  // namespace ringside
