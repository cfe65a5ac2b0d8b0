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
#include "train/interfaces/control_source.h"

namespace ringside {

// Receives lines with control commands from a file descriptor, in its own thread. Ignores lines that are not commands.
// If kMaxWaiting commands are waiting, drops further ones, except a stop. Answers clock queries of the supervisor
// immediately. The end of the stream means that the supervisor has died: calls onEnd in the thread then.
class ControlInput final : public ControlSource {
  public:
    static constexpr std::size_t kMaxWaiting = 256;

    // fd: file descriptor to read from; the caller owns it. onRunStart: called in the receiving thread when the
    // supervisor sends the start time of the run, in microseconds on this host's clock.
    ControlInput(int fd, std::function<void()> onEnd, std::function<void(std::int64_t)> onRunStart = {});
    ~ControlInput() override;
    ControlInput(const ControlInput&) = delete;
    ControlInput& operator=(const ControlInput&) = delete;

    bool hasCommand() const override { return m_pending.load(std::memory_order_relaxed); }
    std::vector<ControlCommand> take(std::size_t most) override;
    bool waitForCommand(std::chrono::microseconds most) override;
    bool waitForStop(std::chrono::microseconds most) override;

  private:
    void runThread();
    bool readSome();  // reads the available lines; returns false at the end of the stream
    void receiveLine(std::string_view line);
    void answerTimeQuery(const TimeQuery& query) const;

    const int m_fd;
    const std::function<void()> m_onEnd;
    const std::function<void(std::int64_t)> m_onRunStart;
    UniqueFd m_wake;  // eventfd that becomes readable when the destructor ends the thread
    LineSplitter m_lines{4096};
    std::mutex m_mutex;  // guards the members below
    std::deque<ControlCommand> m_waiting;
    std::condition_variable m_came;
    std::atomic<bool> m_pending{false};
    std::thread m_thread;
};

}  // namespace ringside
