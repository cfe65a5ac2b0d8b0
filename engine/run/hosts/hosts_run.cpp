// SPDX-License-Identifier: Apache-2.0
#include "run/hosts/hosts_run.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <optional>
#include <utility>

#include "base/crypto/secret.h"
#include "base/system/child_process.h"
#include "base/system/signal_input.h"
#include "run/supervise/restart_policy.h"

namespace ringside {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Time from the failure of a rank other than 0 until all ranks are stopped; in this time, rank 0 can log the cause.
constexpr seconds kOwnVerdict{5};
constexpr seconds kLeave{15};               // time between the end of rank 0 and SIGKILL to the other ranks
constexpr seconds kAnswers{10};             // timeout of an availability check
constexpr milliseconds kLongestWait{8000};  // longest time between two availability checks of absent hosts

// True for exit codes of failures that a restart can overcome. A code of 128 or more means that a signal has ended the
// remote shell.
bool isTransient(int code) {
    return isRestartable(code) || code >= 128;
}

}  // namespace

int HostsRun::run(int signalFd) {
    m_signalFd = signalFd;
    std::vector<HostRanks> hosts = m_plan.hosts;
    for (std::int64_t restart = 0;; ++restart) {
        start(hosts, restart);
        const int code = watch();
        m_shells.clear();
        if (m_stopRequests > 0 || !isTransient(code)) return code;
        if (restart >= m_plan.maxRestarts) {
            if (m_plan.maxRestarts > 0)
                m_output.log("the maximum number of restarts was reached: " + std::to_string(m_plan.maxRestarts) +
                             " (--max-restarts)");
            return code;
        }
        const milliseconds pause = restartDelay(restart + 1, m_plan.firstPause);
        m_output.log("restart " + std::to_string(restart + 1) + " of " + std::to_string(m_plan.maxRestarts) + " in " +
                     std::to_string(std::chrono::duration_cast<seconds>(pause).count()) + " s");
        hosts = waitForHosts(pause);
        if (hosts.empty()) return code;
    }
}

// Starts the ranks of all given hosts, with a new token and port.
void HostsRun::start(const std::vector<HostRanks>& hosts, std::int64_t restart) {
    const std::string token = randomHex(16);
    const int port = 20000 + std::stoi(randomHex(2), nullptr, 16) % 12000;
    std::vector<std::string> common = m_plan.arguments;
    const std::string resume = restart > 0 ? "auto" : m_plan.resume;
    if (!resume.empty()) common.insert(common.end(), {"--resume", resume});
    common.insert(common.end(), {"--restart", std::to_string(restart)});
    int rank = 0;
    for (const HostRanks& host : hosts) {
        for (int local = 0; local < host.ranks; ++local, ++rank) {
            std::vector<std::string> arguments = common;
            arguments.insert(arguments.end(),
                             {"--rank", std::to_string(rank), "--world-size", std::to_string(countRanks(hosts)),
                              "--master", hosts.front().name + ":" + std::to_string(port)});
            startRank(rank, host.name, arguments, token);
        }
    }
}

void HostsRun::startRank(int rank, const std::string& host, const std::vector<std::string>& arguments,
                         const std::string& token) {
    std::vector<std::string> words{m_plan.worker.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    m_shells.push_back(std::make_unique<RemoteShell>(rank, host, shellWords(m_plan.shell, host, remoteCommand(words))));
    m_shells.back()->sendToken(token);
}

// Waits until all ranks have ended and returns rank 0's exit code. Stops all ranks after a signal, after the end of
// rank 0, and when the time kOwnVerdict has passed after the failure of another rank. Kills all ranks at the second
// signal, and when the time kLeave has passed after the end of rank 0.
int HostsRun::watch() {
    std::optional<steady_clock::time_point> until;  // time at which all ranks are killed
    std::optional<steady_clock::time_point> stopAt;
    for (;;) {
        waitForNews();
        const auto now = steady_clock::now();
        const std::optional<int> code = m_shells.front()->exitCode();
        bool others = false;
        for (auto& shell : m_shells) {
            const std::optional<int> one = shell->exitCode();
            others = others || !one;
            if (one && *one != 0 && shell->rank() > 0 && !code && !stopAt) {
                m_output.log("rank " + std::to_string(shell->rank()) + " on " + shell->host() + " ended with code " +
                             std::to_string(*one));
                stopAt = now + kOwnVerdict;
            }
        }
        if (code && !others) {
            for (auto& shell : m_shells)
                forwardOutput(*shell);  // prints the last lines of each rank, such as the verdict
            return *code;
        }
        readSignals();
        if (m_stopRequests > 0 || code || (stopAt && now >= *stopAt)) {
            for (auto& shell : m_shells) shell->requestStop();
        }
        if (code && !until) until = now + kLeave;
        if (m_stopRequests > 1 || (until && now >= *until)) {
            for (auto& shell : m_shells) shell->child().signal(SIGKILL);
        }
    }
}

void HostsRun::waitForNews() {
    std::vector<pollfd> waiting{{m_signalFd, POLLIN, 0}};
    for (const auto& shell : m_shells) {
        waiting.push_back({shell->child().outputFd(), POLLIN, 0});
        waiting.push_back({shell->child().end() ? -1 : shell->child().exitFd(), POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), 200);
    for (const auto& shell : m_shells) forwardOutput(*shell);
}

void HostsRun::forwardOutput(RemoteShell& shell) const {
    shell.forwardOutput([&](std::string_view line) { m_output.rankLine(shell.rank(), shell.host(), line); });
}

void HostsRun::readSignals() {
    if (readSignalFrom(m_signalFd)) ++m_stopRequests;
}

// Returns the hosts that respond to the availability check within kAnswers.
std::vector<HostRanks> HostsRun::findHosts() const {
    std::vector<std::unique_ptr<ChildProcess>> probes;
    for (const HostRanks& host : m_plan.hosts) {
        ChildOptions options;
        options.program = "/usr/bin/env";
        options.arguments = shellWords(m_plan.shell, host.name, "true");
        probes.push_back(std::make_unique<ChildProcess>(options));
    }
    const auto isOver = [](const auto& probe) { return probe->poll().has_value(); };
    for (const auto until = steady_clock::now() + kAnswers;
         steady_clock::now() < until && !std::ranges::all_of(probes, isOver);)
        ::poll(nullptr, 0, 20);
    std::vector<HostRanks> responding;
    for (std::size_t i = 0; i < probes.size(); ++i) {
        const auto& end = probes[i]->poll();
        if (end && !end->signalled && end->code == 0) responding.push_back(m_plan.hosts[i]);
    }
    return responding;
}

// Waits for `pause`, then checks the hosts until enough of them respond; the interval doubles up to kLongestWait.
// Returns the hosts of the next start, or an empty list after a signal. These checks do not count as restarts.
std::vector<HostRanks> HostsRun::waitForHosts(milliseconds pause) {
    std::string logged;
    for (milliseconds wait = pause;; wait = std::min(kLongestWait, 2 * wait)) {
        if (!pauseFor(wait)) return {};
        NextHosts next = chooseNextHosts(m_plan.hosts, findHosts(), m_plan.minRanks);
        if (!next.text.empty() && next.text != logged) m_output.log(next.text);
        if (!next.hosts.empty()) return std::move(next.hosts);
        logged = next.text;
    }
}

// Waits for `pause` before the next attempt to reach the hosts. Returns false if a signal that ends the run arrives.
bool HostsRun::pauseFor(milliseconds pause) {
    pollfd waiting{m_signalFd, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(pause.count())) > 0) readSignals();
    return m_stopRequests == 0;
}

}  // namespace ringside
