// SPDX-License-Identifier: Apache-2.0
#include "devices/gpu_probe.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/system/files.h"
#include "base/system/resource_directory.h"
#include "base/system/unique_fd.h"

namespace ringside {
namespace {

using Time = std::chrono::steady_clock;

constexpr std::size_t kMaxOutput = 1U << 20;

// Child process with a pipe for its standard output and error. The destructor kills and reaps the child.
class Child {
  public:
    Child(const std::filesystem::path& program, const char* argument) {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) {
            m_error = errno;
            return;
        }
        m_output.reset(ends[0]);
        const UniqueFd writeEnd(ends[1]);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&actions, writeEnd.get(), STDOUT_FILENO);
        posix_spawn_file_actions_adddup2(&actions, writeEnd.get(), STDERR_FILENO);
        std::string name = program.string();
        std::string option = argument;
        char* const arguments[] = {name.data(), option.data(), nullptr};
        m_error = ::posix_spawn(&m_pid, name.c_str(), &actions, nullptr, arguments, environ);
        posix_spawn_file_actions_destroy(&actions);
    }
    // Waits at most 1 s for the child to end, because a process that hangs inside the driver cannot be killed.
    ~Child() {
        if (m_error != 0 || m_collected) return;
        ::kill(m_pid, SIGKILL);
        int status = 0;
        collect(status, Time::now() + std::chrono::seconds(1));
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    int error() const { return m_error; }

    // Reads the child's output until the child closes it. Returns false if the deadline passes or the output exceeds
    // kMaxOutput.
    bool readAll(std::string& output, Time::time_point deadline) {
        for (;;) {
            const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Time::now());
            if (left.count() <= 0 || output.size() > kMaxOutput) return false;
            pollfd waiting{m_output.get(), POLLIN, 0};
            if (::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) continue;
            char buffer[4096];
            const ssize_t count = ::read(m_output.get(), buffer, sizeof buffer);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return true;
            output.append(buffer, static_cast<std::size_t>(count));
        }
    }

    bool collect(int& status, Time::time_point deadline) {
        constexpr int kPauseMs = 5;
        while (!m_collected) {
            m_collected = ::waitpid(m_pid, &status, WNOHANG) == m_pid;
            if (m_collected) break;
            if (Time::now() >= deadline) return false;
            ::poll(nullptr, 0, kPauseMs);
        }
        return true;
    }

  private:
    UniqueFd m_output;
    pid_t m_pid = -1;
    int m_error = 0;
    bool m_collected = false;
};

std::string firstLine(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

// Returns the last line of the output, which is the report. The loader and the driver can print other lines before it.
std::string reportLine(std::string text) {
    text.erase(text.find_last_not_of('\n') + 1);
    const std::size_t end = text.rfind('\n');
    return end == std::string::npos ? text : text.substr(end + 1);
}

std::string describeEnd(const std::string& program, int status) {
    if (WIFSIGNALED(status)) return program + " was ended by signal " + std::to_string(WTERMSIG(status));
    return program + " ended with code " + std::to_string(WEXITSTATUS(status));
}

bool anyExists(const std::vector<std::filesystem::path>& paths) {
    std::error_code ignored;
    return std::any_of(paths.begin(), paths.end(),
                       [&](const auto& path) { return std::filesystem::exists(path, ignored); });
}

GpuReport runProbe(const GpuProbeOptions& options) {
    const std::string name = options.worker.filename().string();
    Child child(options.worker, "--devices");
    if (child.error() != 0) return reportWithoutGpus(name + " could not be started: " + errnoText(child.error()));
    const auto deadline = Time::now() + options.deadline;
    std::string output;
    int status = 0;
    if (!child.readAll(output, deadline) || !child.collect(status, deadline)) {
        GpuReport report =
            reportWithoutGpus("querying the GPUs took longer than " + std::to_string(options.deadline.count()) +
                              " ms; check that nvidia-smi responds");
        report.probeTimedOut = true;
        return report;
    }
    if (status != 0) return reportWithoutGpus(describeEnd(name + " --devices", status) + ": " + firstLine(output));
    Result<GpuReport> report = parseGpuReport(reportLine(std::move(output)));
    return report ? std::move(report).value() : reportWithoutGpus(report.problem().text());
}

}  // namespace

bool gpuDriverLoaded() {
    return anyExists(GpuProbeOptions{}.driverSigns);
}

GpuReport probeGpus(const GpuProbeOptions& options) {
    if (!anyExists(options.driverSigns)) return reportWithoutGpus(kNoDriver);
    std::error_code ignored;
    if (!std::filesystem::exists(options.worker, ignored))
        return reportWithoutGpus("an NVIDIA driver is loaded, but this build computes on CPUs only (" +
                                 std::string(kCudaWorkerName) +
                                 " is missing: CUDA was not found when Ringside was built)");
    return runProbe(options);
}

GpuReport probeGpus() {
    GpuProbeOptions options;
    options.worker = programDirectory() / kCudaWorkerName;
    return probeGpus(options);
}

}  // namespace ringside
