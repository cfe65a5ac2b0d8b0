// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace ringside {

// Progress line on standard error for work that takes longer than kPatience: it shows the activity and the remaining
// time, or the elapsed time if the completed share is not known. It appears only on a terminal; the destructor erases
// it.
class SlowProgress {
  public:
    static constexpr std::chrono::seconds kPatience{2};

    explicit SlowProgress(bool isTerminal);
    ~SlowProgress();
    SlowProgress(const SlowProgress&) = delete;
    SlowProgress& operator=(const SlowProgress&) = delete;

    void show(const std::string& what, double share = 0);  // share: completed part, 0 to 1; 0: not known
    // Sets the activity and a function that returns the completed part. The display thread calls it until the next call
    // of show() or follow().
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
