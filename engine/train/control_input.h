// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "base/unique_fd.h"
#include "train/control.h"

namespace ringside {

// Reads control lines ({"kind":"stop"}) from an inherited descriptor in a thread of its own. Lines it does not know
// are ignored. onEnd is called in that thread when the other side is gone: the supervisor died.
class ControlInput final : public ControlSource {
  public:
    ControlInput(int fd, std::function<void()> onEnd);  // fd is not owned
    ~ControlInput() override;
    ControlInput(const ControlInput&) = delete;
    ControlInput& operator=(const ControlInput&) = delete;

    ControlCode pending() const override { return m_pending.load(std::memory_order_relaxed); }

  private:
    void work();
    bool readSome();  // false at the end of the stream
    void takeLine(const std::string& line);

    const int m_fd;
    const std::function<void()> m_onEnd;
    UniqueFd m_wake;  // eventfd: readable when the destructor wants the thread to end
    std::string m_partial;
    std::atomic<ControlCode> m_pending{ControlCode::kNone};
    std::thread m_thread;
};

}  // namespace ringside
