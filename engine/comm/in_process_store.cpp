// SPDX-License-Identifier: Apache-2.0
#include "comm/in_process_store.h"

#include "base/errors/errors.h"
#include "comm/collective_text.h"

namespace ringside {

void InProcessStore::set(const std::string& key, const std::vector<char>& value) {
    {
        std::lock_guard lock(m_mutex);
        m_values[key] = value;
    }
    m_changed.notify_all();
}

std::vector<char> InProcessStore::get(const std::string& key, std::chrono::milliseconds deadline) {
    std::unique_lock lock(m_mutex);
    if (!m_changed.wait_for(lock, deadline, [&] { return m_values.contains(key); })) {
        throw CommError("no rank wrote key '" + key + "' within " + describeDuration(deadline) +
                        ": a rank has not started or has died; see its log");
    }
    return m_values[key];
}

}  // namespace ringside
