// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/system/unique_fd.h"
#include "base/text/line_splitter.h"
#include "launch/wire/greeting.h"
#include "train/parts/control_source.h"

namespace ringside {

// Reads control lines from an inherited descriptor in a thread of its own. Lines that are no command are ignored, and
// so is what nobody fetches in time: who sends so much has sent it in error. Questions for this host's clock are
// answered at once. onEnd is called in that thread when the other side is gone: the supervisor died.
class ControlInput final : public ControlSource {
  public:
    static constexpr std::size_t kMaxWaiting = 256;

    // onZero hears where the run's times begin on this host's clock, in the same thread; fd is not owned.
    ControlInput(int fd, std::function<void()> onEnd, std::function<void(std::int64_t)> onZero = {});
    ~ControlInput() override;
    ControlInput(const ControlInput&) = delete;
    ControlInput& operator=(const ControlInput&) = delete;

    bool pending() const override { return m_pending.load(std::memory_order_relaxed); }
    std::vector<ControlCommand> take(std::size_t most) override;
    bool waitPending(std::chrono::microseconds most) override;
    bool waitForStop(std::chrono::microseconds most) override;

  private:
    void work();
    bool readSome();  // false at the end of the stream
    void receive(std::string_view line);
    void answer(const TimeQuestion& question) const;

    const int m_fd;
    const std::function<void()> m_onEnd;
    const std::function<void(std::int64_t)> m_onZero;
    UniqueFd m_wake;  // eventfd: readable when the destructor wants the thread to end
    LineSplitter m_lines{4096};
    std::mutex m_mutex;  // guards what follows
    std::deque<ControlCommand> m_waiting;
    std::condition_variable m_came;
    std::atomic<bool> m_pending{false};
    std::thread m_thread;
};

}  // namespace ringside
