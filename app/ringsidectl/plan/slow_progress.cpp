// SPDX-License-Identifier: Apache-2.0
#include "plan/slow_progress.h"

#include <cmath>
#include <cstdio>
#include <utility>

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kEvery{500};

}  // namespace

SlowProgress::SlowProgress(bool isTerminal) {
    if (isTerminal) m_thread = std::thread([this] { watch(); });
}

SlowProgress::~SlowProgress() {
    if (!m_thread.joinable()) return;
    {
        const std::lock_guard lock(m_mutex);
        m_over = true;
    }
    m_ended.notify_all();
    m_thread.join();
}

void SlowProgress::show(const std::string& what, double share) {
    follow(what, [share] { return share; });
}

void SlowProgress::follow(const std::string& what, std::function<double()> share) {
    const std::lock_guard lock(m_mutex);
    if (what != m_what) m_since = Clock::now();
    m_what = what;
    m_share = std::move(share);
}

std::string SlowProgress::line() const {
    const double passed = std::chrono::duration<double>(Clock::now() - m_since).count();
    const auto seconds = [](double s) { return std::to_string(std::lround(s)) + " s"; };
    const double share = m_share();
    if (share <= 0) return m_what + ", " + seconds(passed);
    return m_what + ", " + std::to_string(static_cast<int>(100 * share)) + " %, " +
           seconds(passed / share * (1 - share)) + " left";
}

void SlowProgress::watch() {
    std::unique_lock lock(m_mutex);
    if (m_ended.wait_for(lock, kPatience, [this] { return m_over; })) return;
    do {
        const std::string text = line();
        lock.unlock();  // writing to a terminal may take long, so the mutex is released first
        std::fprintf(stderr, "\r\033[K%s", text.c_str());
        std::fflush(stderr);
        lock.lock();
    } while (!m_ended.wait_for(lock, kEvery, [this] { return m_over; }));
    std::fprintf(stderr, "\r\033[K");
    std::fflush(stderr);
}

}  // namespace ringside
