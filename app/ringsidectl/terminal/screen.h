// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace ringside {

// Standard output and standard error of who must never wait for a reader: a thread writes, and what a reader that does
// not read has no room for is dropped and counted. When it reads again it is told how much it has missed.
class Screen {
  public:
    static constexpr std::size_t kMostBytes = std::size_t{256} << 10;

    explicit Screen(int outputFd = 1, int errorFd = 2);
    // What was said so far is shown for at most this long.
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    void out(const std::string& text);
    void error(const std::string& text);
    // Until everything is written; false at the deadline.
    bool flush(std::chrono::milliseconds deadline);

  private:
    struct State;
    void add(int fd, const std::string& text);
    const int m_output;
    const int m_error;
    std::shared_ptr<State> m_state;  // the thread's as well: it may be caught in a write when we leave
};

}  // namespace ringside
