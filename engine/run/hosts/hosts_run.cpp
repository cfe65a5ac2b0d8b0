// SPDX-License-Identifier: Apache-2.0
#include "run/hosts/hosts_run.h"

#include <fcntl.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <sstream>

#include "base/crypto/secret.h"
#include "base/errors/errors.h"
#include "base/errors/exit_code.h"
#include "base/system/child_process.h"
#include "base/system/files.h"
#include "base/system/signal_input.h"
#include "base/text/line_splitter.h"
#include "base/text/shell_word.h"
#include "base/text/terminal_text.h"
#include "run/supervise/restart_policy.h"

namespace ringside {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr int kMostRanksOnHosts = 64;
constexpr std::chrono::seconds kOwnVerdict{5};   // time from the failure of a rank other than 0 until all ranks are
                                                 // stopped; within it, rank 0 can log the cause
constexpr std::chrono::seconds kLeave{15};       // time between the end of rank 0 and SIGKILL to the other ranks
constexpr std::chrono::seconds kAnswers{10};     // timeout of an availability check
constexpr std::chrono::seconds kLongestWait{8};  // longest time between two availability checks of absent hosts

// Returns the command line that the remote shell executes. It reads the token from standard input, because other users
// of the host can see command lines. It terminates the rank when standard input is closed, which happens when this
// program ends for any reason.
std::string remoteCommand(const std::vector<std::string>& words) {
    std::string command;
    for (const std::string& word : words) command += shellWord(word) + " ";
    return "read -r RINGSIDE_TOKEN; export RINGSIDE_TOKEN; exec 9<&0; " + command +
           "</dev/null 9<&- & P=$!; { cat <&9; kill -TERM $P; } >/dev/null 2>&1 & W=$!; exec 9<&-; "
           "wait $P; C=$?; kill $W 2>/dev/null; exit $C";
}

std::string filledIn(std::string word, const std::string& name, const std::string& value) {
    const std::size_t at = word.find(name);
    return at == std::string::npos ? word : word.replace(at, name.size(), value);
}

// Remote shell that runs one rank.
class RemoteShell {
  public:
    RemoteShell(int rank, std::string host, const ChildOptions& options, UniqueFd input)
        : m_rank(rank), m_host(std::move(host)), m_input(std::move(input)), m_child(options) {}

    int rank() const { return m_rank; }
    const std::string& host() const { return m_host; }
    ChildProcess& child() { return m_child; }
    void sendToken(const std::string& token) const {
        const std::string line = token + "\n";
        [[maybe_unused]] const ssize_t written = ::write(m_input.get(), line.data(), line.size());
    }
    void requestStop() { m_input.reset(); }
    std::optional<int> exitCode() {
        const auto& end = m_child.poll();
        if (!end) return {};
        return end->signalled ? 128 + end->code : end->code;
    }
    void relay() {
        std::array<char, 4096> bytes;
        for (;;) {
            const ssize_t got = m_child.outputFd() < 0 ? -1 : ::read(m_child.outputFd(), bytes.data(), bytes.size());
            if (got < 0 && errno == EINTR) continue;
            if (got <= 0) break;
            m_lines.feed({bytes.data(), static_cast<std::size_t>(got)}, [this](std::string_view line) {
                const std::string who = m_rank == 0 ? "" : "[" + m_host + ", rank " + std::to_string(m_rank) + "] ";
                std::cerr << who << terminalText(line) << '\n';
            });
        }
    }

  private:
    int m_rank;
    std::string m_host;
    UniqueFd m_input;
    ChildProcess m_child;
    LineSplitter m_lines{8192};
};

using Shells = std::vector<std::unique_ptr<RemoteShell>>;

std::vector<std::string> shellWords(const HostsRun& run, const std::string& host, const std::string& command) {
    std::vector<std::string> words;
    for (const std::string& word : run.shell)
        words.push_back(filledIn(filledIn(word, "{host}", host), "{command}", command));
    return words;
}

std::unique_ptr<RemoteShell> startShell(const HostsRun& run, int rank, const std::string& host,
                                        const std::vector<std::string>& place) {
    std::vector<std::string> words{run.worker.string()};
    words.insert(words.end(), run.arguments.begin(), run.arguments.end());
    words.insert(words.end(), place.begin(), place.end());
    const std::string command = remoteCommand(words);
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) throw IoError("a pipe cannot be made (" + errnoText(errno) + ")");
    const UniqueFd reader(fds[0]);
    UniqueFd writer(fds[1]);
    ChildOptions options;
    options.program = "/usr/bin/env";  // "env" searches PATH for the remote shell
    options.arguments = shellWords(run, host, command);
    options.fds = {{reader.get(), STDIN_FILENO}};
    return std::make_unique<RemoteShell>(rank, host, options, std::move(writer));
}

UniqueFd stopSignals() {
    std::signal(SIGPIPE, SIG_IGN);
    return signalInput({SIGINT, SIGTERM, SIGHUP});
}

void waitForNews(Shells& shells, int signals) {
    std::vector<pollfd> waiting{{signals, POLLIN, 0}};
    for (const auto& shell : shells) {
        waiting.push_back({shell->child().outputFd(), POLLIN, 0});
        waiting.push_back({shell->child().end() ? -1 : shell->child().exitFd(), POLLIN, 0});
    }
    ::poll(waiting.data(), waiting.size(), 200);
    for (const auto& shell : shells) shell->relay();
}

// Waits until all ranks have ended and returns rank 0's exit code. Stops all ranks after a signal, after the end of
// rank 0, and kOwnVerdict after another rank has failed. Adds the received signals to `asked`. Kills all ranks at the
// second signal, and kLeave after the end of rank 0.
int watch(Shells& shells, int signals, int& asked) {
    std::optional<steady_clock::time_point> until;  // time at which all ranks are killed
    std::optional<steady_clock::time_point> stopAt;
    for (;;) {
        waitForNews(shells, signals);
        const auto now = steady_clock::now();
        const std::optional<int> code = shells.front()->exitCode();
        bool others = false;
        for (auto& shell : shells) {
            const std::optional<int> one = shell->exitCode();
            others = others || !one;
            if (one && *one != 0 && !code && !stopAt) {
                std::cerr << "ringsidectl: rank " << shell->rank() << " on " << shell->host() << " ended with code "
                          << *one << '\n';
                stopAt = now + kOwnVerdict;
            }
        }
        if (code && !others) {
            for (auto& shell : shells) shell->relay();  // prints the last lines of each rank, such as the verdict
            return *code;
        }
        if (takeSignal(signals)) ++asked;
        if (asked > 0 || code || (stopAt && now >= *stopAt)) {
            for (auto& shell : shells) shell->requestStop();
        }
        if (code && !until) until = now + kLeave;
        if (asked > 1 || (until && now >= *until)) {
            for (auto& shell : shells) shell->child().signal(SIGKILL);
        }
    }
}

// True for exit codes of failures that a restart can overcome. A code of 128 or more means that a signal has ended the
// remote shell.
bool isTransient(int code) {
    return isRestartable(code) || code >= 128;
}

int ranksOf(const std::vector<HostsRun::Host>& hosts) {
    int ranks = 0;
    for (const HostsRun::Host& host : hosts) ranks += host.ranks;
    return ranks;
}

// Returns the hosts that respond to the availability check within kAnswers.
std::vector<HostsRun::Host> hostsThere(const HostsRun& run) {
    std::vector<std::unique_ptr<ChildProcess>> probes;
    for (const HostsRun::Host& host : run.hosts) {
        ChildOptions options;
        options.program = "/usr/bin/env";
        options.arguments = shellWords(run, host.name, "true");
        probes.push_back(std::make_unique<ChildProcess>(options));
    }
    const auto isOver = [](const auto& probe) { return probe->poll().has_value(); };
    for (const auto until = steady_clock::now() + kAnswers;
         steady_clock::now() < until && !std::ranges::all_of(probes, isOver);)
        ::poll(nullptr, 0, 20);
    std::vector<HostsRun::Host> there;
    for (std::size_t i = 0; i < probes.size(); ++i) {
        const auto& end = probes[i]->poll();
        if (end && !end->signalled && end->code == 0) there.push_back(run.hosts[i]);
    }
    return there;
}

// Starts the ranks of all given hosts, with a new token and port.
Shells startAll(const HostsRun& run, const std::vector<HostsRun::Host>& hosts, std::int64_t restart) {
    const std::string token = randomHex(16);
    const int port = 20000 + std::stoi(randomHex(2), nullptr, 16) % 12000;
    HostsRun now = run;
    const std::string resume = restart > 0 ? "auto" : run.resume;
    if (!resume.empty()) now.arguments.insert(now.arguments.end(), {"--resume", resume});
    now.arguments.insert(now.arguments.end(), {"--restart", std::to_string(restart)});
    Shells shells;
    int rank = 0;
    for (const HostsRun::Host& host : hosts) {
        for (int local = 0; local < host.ranks; ++local, ++rank) {
            shells.push_back(startShell(now, rank, host.name,
                                        {"--rank", std::to_string(rank), "--world-size", std::to_string(ranksOf(hosts)),
                                         "--master", hosts.front().name + ":" + std::to_string(port)}));
            shells.back()->sendToken(token);
        }
    }
    return shells;
}

// Returns the hosts of the next start. Returns an empty list if rank 0's host does not respond, or if the responding
// hosts have fewer than run.minRanks ranks. Before it returns an empty list, prints which hosts are missing, unless
// this text equals `waiting`, the text that an earlier call has printed; updates `waiting`.
std::vector<HostsRun::Host> hostsForNextStart(const HostsRun& run, std::string& waiting) {
    const std::vector<HostsRun::Host> there = hostsThere(run);
    const auto log = [](const std::string& text) { std::cerr << "ringsidectl: " << text << '\n'; };
    if (there.size() == run.hosts.size()) return there;
    std::string away;
    for (const HostsRun::Host& host : run.hosts) {
        const bool isThere =
            std::ranges::any_of(there, [&](const HostsRun::Host& one) { return one.name == host.name; });
        if (!isThere) away += (away.empty() ? "" : ", ") + host.name;
    }
    const bool hasFirst = !there.empty() && there.front().name == run.hosts.front().name;
    const bool enough = run.minRanks > 0 && ranksOf(there) >= run.minRanks;
    if (hasFirst && enough) {
        log("without " + away + ": " + std::to_string(ranksOf(there)) +
            " ranks continue, and the samples are assigned to " + "them from the last complete epoch");
        return there;
    }
    const std::string text = "waiting for " + away + (hasFirst ? "" : ", which writes the run directory") +
                             ": no response; press Ctrl+C to cancel";
    if (text != waiting) log(text);
    waiting = text;
    return {};
}

// Waits for `pause` before the next attempt to reach the hosts. Returns false if a signal that ends the run arrives.
bool pauseFor(seconds pause, int signals, int& asked) {
    pollfd waiting{signals, POLLIN, 0};
    if (::poll(&waiting, 1, static_cast<int>(std::chrono::milliseconds(pause).count())) > 0 && takeSignal(signals))
        ++asked;
    return asked == 0;
}

// Waits for `pause`, then checks the hosts until enough of them respond; the interval doubles up to kLongestWait.
// Returns the hosts of the next start, or an empty list after a signal. These checks do not count as restarts.
std::vector<HostsRun::Host> waitForHosts(const HostsRun& run, seconds pause, int signals, int& asked) {
    std::string waiting;
    for (seconds wait = pause;; wait = std::min(kLongestWait, 2 * wait)) {
        if (!pauseFor(wait, signals, asked)) return {};
        std::vector<HostsRun::Host> hosts = hostsForNextStart(run, waiting);
        if (!hosts.empty()) return hosts;
    }
}

}  // namespace

Result<std::vector<HostsRun::Host>> parseHosts(const std::string& list) {
    std::vector<HostsRun::Host> hosts;
    std::istringstream in(list);
    int ranks = 0;
    for (std::string entry; std::getline(in, entry, ',');) {
        HostsRun::Host host{entry.substr(0, entry.find(':')), 1};
        const std::string number = entry.find(':') == std::string::npos ? "1" : entry.substr(entry.find(':') + 1);
        const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), host.ranks);
        const bool fine = error == std::errc{} && end == number.data() + number.size() && host.ranks > 0 &&
                          host.ranks <= kMostRanksOnHosts && !host.name.empty() && host.name.front() != '-';
        if (!fine)
            return Problem{"--hosts", "has \"" + entry + "\"", "write HOST:RANKS,HOST:RANKS, as in node1:4,node2:4"};
        ranks += host.ranks;
        hosts.push_back(host);
    }
    if (hosts.empty() || ranks > kMostRanksOnHosts)
        return Problem{"--hosts", "names " + std::to_string(ranks) + " ranks", "name 1 to 64"};
    return hosts;
}

Result<std::vector<std::string>> parseShell(const std::string& text) {
    std::vector<std::string> words;
    std::istringstream in(text);
    for (std::string word; in >> word;) words.push_back(word);
    if (text.find("{command}") == std::string::npos)
        return Problem{"--shell", "is \"" + text + "\", without {command}",
                       std::string("write it as in ") + kDefaultShell};
    return words;
}

int runOnHosts(const HostsRun& run) {
    const UniqueFd signals = stopSignals();
    int asked = 0;
    std::vector<HostsRun::Host> hosts = run.hosts;
    for (std::int64_t restart = 0;; ++restart) {
        int code = 0;
        {
            Shells shells = startAll(run, hosts, restart);
            code = watch(shells, signals.get(), asked);
        }
        if (asked > 0 || !isTransient(code)) return code;
        if (restart >= run.maxRestarts) {
            if (run.maxRestarts > 0)
                std::cerr << "ringsidectl: no restart is left of " << run.maxRestarts << " (--max-restarts)\n";
            return code;
        }
        const auto pause = std::chrono::duration_cast<seconds>(backOffBefore(restart + 1, seconds(1)));
        std::cerr << "ringsidectl: restart " << restart + 1 << " of " << run.maxRestarts << " in " << pause.count()
                  << " s\n";
        hosts = waitForHosts(run, pause, signals.get(), asked);
        if (hosts.empty()) return code;
    }
}

}  // namespace ringside
