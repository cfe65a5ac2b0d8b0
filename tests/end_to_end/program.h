// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/json/json.h"
#include "base/system/child_process.h"
#include "support/places.h"
#include "support/temporary_directory.h"

namespace ringside {

// Makes a run so slow that it does not end before it receives a command; kFast ends this in a resumed run.
inline const std::vector<std::string> kSlow{"--set", "pitfalls.slow_rank=0", "--set", "pitfalls.slow_ms=1"};
inline const std::vector<std::string> kFast{"--set", "pitfalls.slow_rank=-1"};

#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
// Timeout of runs whose ranks hang. Under a sanitizer on a busy machine, ranks that do not hang can need more than two
// seconds for one step.
inline const std::string kShortSeconds = kSanitized ? "6" : "1";
inline const std::string kShortTimeout = "parallel.timeout_seconds=" + kShortSeconds;

// Returns the words of both lists, for example a command line with more options.
inline std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// A started ringsidectl whose output is collected.
class Program {
  public:
    explicit Program(const std::vector<std::string>& arguments, int inputFd = -1,
                     const std::filesystem::path& program = builtProgram("ringsidectl"));

    pid_t pid() const { return m_child.pid(); }
    void signal(int number) const { m_child.signal(number); }
    // Waits for at most `deadline` until the program has ended. Returns its exit code, 128 + n if signal n killed it,
    // or -1 if it still runs.
    int wait(std::chrono::seconds deadline = std::chrono::seconds(120));
    const std::string& output() const { return m_output; }  // standard output and standard error

  private:
    bool read();
    ChildProcess m_child;
    std::string m_output;
};

// Writes a join code to a file that only this user can read, and returns the file.
std::filesystem::path codeFile(const std::filesystem::path& file, const std::string& code);

// Polls every 5 ms (every 50 ms after 2 s) until `holds` returns true, for at most two minutes. Returns false at the
// end of this time.
bool eventually(const std::function<bool()>& holds);

std::string contentOf(const std::filesystem::path& file);
Json jsonOf(const std::filesystem::path& file);
// Lines of a file of JSON lines, without an incomplete last line.
std::vector<Json> linesOf(const std::filesystem::path& file);
bool contains(const std::string& text, const std::string& part);

// Returns the process ids of the workers by rank, from the telemetry.
std::vector<pid_t> workerPids(const std::filesystem::path& runDirectory);
bool isGone(pid_t pid);
bool allGone(const std::vector<pid_t>& pids);
// True if metrics.jsonl contains a step.
bool hasTrained(const std::filesystem::path& runDirectory);

}  // namespace ringside
