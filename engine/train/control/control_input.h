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

// Receives control lines from an inherited file descriptor in a separate thread. Lines that are not commands are
// ignored; commands beyond kMaxWaiting are dropped, except a stop. Clock queries of the supervisor are answered at
// once. onEnd is called in that thread when the descriptor reaches its end: the supervisor has died.
class ControlInput final : public ControlSource {
  public:
    static constexpr std::size_t kMaxWaiting = 256;

    // onZero: called in the same thread when the supervisor sends the start time of the run, in microseconds on this
    // host's clock. fd: file descriptor to read; the caller owns it.
    ControlInput(int fd, std::function<void()> onEnd, std::function<void(std::int64_t)> onZero = {});
    ~ControlInput() override;
    ControlInput(const ControlInput&) = delete;
    ControlInput& operator=(const ControlInput&) = delete;

    bool pending() const override { return m_pending.load(std::memory_order_relaxed); }
    std::vector<ControlCommand> take(std::size_t most) override;
    bool waitPending(std::chrono::microseconds most) override;
    bool waitForStop(std::chrono::microseconds most) override;

  private:
    void runThread();
    bool readSome();  // reads the available commands; returns false at the end of the stream
    void handleLine(std::string_view line);
    void answerTimeQuery(const TimeQuery& query) const;

    const int m_fd;
    const std::function<void()> m_onEnd;
    const std::function<void(std::int64_t)> m_onZero;
    UniqueFd m_wake;  // eventfd that becomes readable when the destructor ends the thread
    LineSplitter m_lines{4096};
    std::mutex m_mutex;  // guards the members below
    std::deque<ControlCommand> m_waiting;
    std::condition_variable m_came;
    std::atomic<bool> m_pending{false};
    std::thread m_thread;
};

}  // namespace ringside
