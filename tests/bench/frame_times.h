// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <vector>

// Times of repeated work on the calling thread, printed as median, 99th percentile and longest. Each is printed as
// wall-clock time and as CPU time of this thread, which a busy machine does not lengthen.
class FrameTimes {
  public:
    template <class Work>
    void measure(Work work) {
        const double cpuStart = threadMs();
        const auto start = std::chrono::steady_clock::now();
        work();
        m_ms.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
        m_cpuMs.push_back(threadMs() - cpuStart);
    }
    void print(const char* name) {
        std::printf("%-46s %4zu times  ", name, m_ms.size());
        print("wall", m_ms);
        print("  processor", m_cpuMs);
        std::printf("\n");
    }

  private:
    static double threadMs() {
        timespec now{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    }
    static void print(const char* kind, std::vector<double>& ms) {
        std::sort(ms.begin(), ms.end());
        const auto at = [&ms](double share) {
            return ms[static_cast<std::size_t>(share * static_cast<double>(ms.size() - 1))];
        };
        std::printf("%s median %.2f p99 %.2f longest %.2f ms", kind, at(0.5), at(0.99), ms.back());
    }

    std::vector<double> m_ms, m_cpuMs;
};
