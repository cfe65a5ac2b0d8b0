// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace ringside {

// One line on standard error about work that takes longer than a person likes to wait, where a person is looking: what
// is being done, how far it is or for how long, gone again at the end.
class SlowProgress {
  public:
    static constexpr std::chrono::seconds kPatience{2};

    explicit SlowProgress(bool isTerminal);
    ~SlowProgress();
    SlowProgress(const SlowProgress&) = delete;
    SlowProgress& operator=(const SlowProgress&) = delete;

    void say(const std::string& what, double share = 0);  // share: done, from 0 to 1; 0: not known
    // The same with a share that is read each time the line is drawn, in another thread, until the next call.
    void follow(const std::string& what, std::function<double()> share);

  private:
    void watch();
    std::string line() const;

    using Clock = std::chrono::steady_clock;
    std::mutex m_mutex;
    std::condition_variable m_ended;
    bool m_over = false;
    std::string m_what;
    std::function<double()> m_share = [] { return 0.0; };
    Clock::time_point m_since = Clock::now();
    std::thread m_thread;
};

}  // namespace ringside
