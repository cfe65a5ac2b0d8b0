// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <string>

namespace ringside {

// Standard output and standard error for a program that must never block on a slow reader. A thread writes the text;
// lines that exceed the buffer of kMaxBytes are dropped and counted. Their number is printed as soon as the buffer has
// space again. Thread-safe.
class Screen {
  public:
    static constexpr std::size_t kMaxBytes = std::size_t{256} << 10;

    explicit Screen(int outputFd = 1, int errorFd = 2);
    // Waits up to 2 s for the buffered text to be written; discards the rest.
    ~Screen();
    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    void out(const std::string& text);
    void error(const std::string& text);
    // Blocks until all text is written. False at the deadline.
    bool flush(std::chrono::milliseconds deadline);

  private:
    struct State;
    void add(int fd, const std::string& text);
    const int m_output;
    const int m_error;
    // State that this object shares with the writing thread. The thread can exist longer than this object, because a
    // write can block.
    std::shared_ptr<State> m_state;
};

}  // namespace ringside
