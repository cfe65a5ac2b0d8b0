// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json.h"
#include "run/supervise/supervisor.h"
#include "support/places.h"
#include "support/temporary_directory.h"

namespace ringside {

inline std::string contentOf(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

inline std::vector<Json> linesOf(const std::filesystem::path& path) {
    std::vector<Json> lines;
    std::istringstream text(contentOf(path));
    for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
    return lines;
}

// A run of three fake workers, with 2 epochs of 4 steps.
struct FakeRun {
    TemporaryDirectory scratch;
    PreparedRun prepared;
    SupervisorOptions options;
    std::vector<pid_t> pids;
    RunEnded end;
    std::filesystem::path directory = scratch.path();
    std::unique_ptr<RankLink> adopted;  // rank on another host that replaces a fake worker; null: there is none

    explicit FakeRun(const std::string& deeds) {
        prepared.config.parallel.worldSize = 3;
        prepared.config.parallel.timeoutSeconds = 30;
        prepared.config.training.epochs = 2;
        prepared.compute = {CollectiveBackend::kShm, "shared memory: all ranks are on this host", DeviceChoice::kCpu,
                            "CPU: no GPU", ""};
        prepared.trainingSamples = 48;
        prepared.validationSamples = 10;
        prepared.stepsPerEpoch = 4;
        prepared.planHashes = {"a", "b", "c"};
        options.workerProgram = testProgram("fake_worker");
        options.workerEnvironment = {"FAKE_WORKER=" + deeds};
        options.readLoad = [](int ranks) { return HostLoad{.ranks = ranks, .processors = 64, .others = 0}; };
    }
    RunPaths paths() const { return RunPaths(directory); }

    void go() {
        Supervisor supervisor(paths(), prepared, options);
        if (adopted) supervisor.adopt(std::move(adopted), {});
        supervisor.start();
        end = supervisor.run();
        for (const Json& line : linesOf(paths().telemetry())) {
            if (line["kind"] == "rank" && line.contains("pid")) pids.push_back(line["pid"].get<pid_t>());
        }
    }
    bool anybodyLeft() const {
        for (const pid_t pid : pids) {
            if (::kill(pid, 0) == 0 || errno != ESRCH) return true;
        }
        return pids.size() != 3;
    }
    Json summary() const { return Json::parse(contentOf(paths().summary())); }
};

// Rank on another host, without a process. It sends the given lines, and ends when the test sets its end.
class RemoteFake final : public RankLink {
  public:
    explicit RemoteFake(int rank, std::vector<std::string> lines = {}) : RankLink(rank), m_lines(std::move(lines)) {}

    pid_t pid() const override { return 0; }
    std::string host() const override { return "node2"; }
    bool readTelemetry(const LineSink& line) override {
        for (const std::string& one : std::exchange(m_lines, {})) line(one);
        return true;
    }
    bool readOutput(const LineSink&) override { return false; }
    int outputFd() const override { return -1; }
    int exitFd() const override { return -1; }
    const std::optional<ChildEnd>& poll() override { return m_end; }
    const std::optional<ChildEnd>& end() const override { return m_end; }
    void signal(int number) override {
        m_end.emplace();
        m_end->signalled = true;
        m_end->code = number;
    }
    void sendControl(std::string_view) const override {}
    std::vector<std::string> lastLines() const override { return {}; }
    bool isStopped() const override { return false; }

  private:
    std::vector<std::string> m_lines;
    std::optional<ChildEnd> m_end;
};

inline bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace ringside
