// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>

#include "comm/store.h"

namespace ringside {

// Store of ranks that are threads of one process. Thread-safe.
class InProcessStore final : public Store {
  public:
    void set(const std::string& key, const std::vector<char>& value) override;
    std::vector<char> get(const std::string& key, std::chrono::milliseconds deadline) override;

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::string, std::vector<char>> m_values;
};

}  // namespace ringside
