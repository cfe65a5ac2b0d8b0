// SPDX-License-Identifier: Apache-2.0
#include "run/ranks/rank_process.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "base/system/files.h"
#include "base/text/line_stream.h"
#include "launch/channels/rank_channels.h"
#include "telemetry/events/codec.h"

namespace ringside {
namespace {

constexpr std::size_t kMaxOutputLine = 8192;
constexpr int kTelemetryBufferBytes = 1 << 20;

struct SocketPair {
    UniqueFd ours, theirs;
};

SocketPair makeSocketPair() {
    int fds[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) != 0) {
        throw IoError("a socket for a worker cannot be created (" + errnoText(errno) +
                      "): lower parallel.world_size or raise the limit of open files");
    }
    ::fcntl(fds[0], F_SETFL, O_NONBLOCK);
    return {UniqueFd(fds[0]), UniqueFd(fds[1])};
}

std::vector<std::string> argumentsFor(const RankEnvironment& e) {
    std::vector<std::string> arguments = {"--rank",       std::to_string(e.rank),
                                          "--world-size", std::to_string(e.worldSize),
                                          "--run-dir",    e.runDirectory.string(),
                                          "--epoch-us",   std::to_string(e.runStartUs),
                                          "--local-rank", std::to_string(e.localRank),
                                          "--backend",    e.backend,
                                          "--device",     e.device};
    if (e.timeoutFactor > 1) arguments.insert(arguments.end(), {"--timeout-factor", std::to_string(e.timeoutFactor)});
    if (!e.resume.empty()) arguments.insert(arguments.end(), {"--resume", e.resume});
    if (e.hosts.empty()) return arguments;
    std::string hosts;
    for (const int host : e.hosts) {
        if (!hosts.empty()) hosts += ',';
        hosts += std::to_string(host);
    }
    arguments.insert(arguments.end(), {"--hosts", hosts});
    if (!e.address.empty()) arguments.insert(arguments.end(), {"--address", e.address});
    return arguments;
}

struct Channels {
    SocketPair control = makeSocketPair();
    SocketPair telemetry = makeSocketPair();
    SocketPair store = makeSocketPair();
};

ChildOptions childOptions(const WorkerProgram& worker, const RankEnvironment& environment, const Channels& channels) {
    ChildOptions options;
    options.program = worker.program;
    options.arguments = argumentsFor(environment);
    options.environment = worker.environment;
    // Waiting threads of OpenMP must sleep instead of checking in a loop, because ranks share the CPUs.
    options.environment.emplace_back("OMP_WAIT_POLICY=passive");
    options.fds = {{channels.control.theirs.get(), RankChannels::kControlFd},
                   {channels.telemetry.theirs.get(), RankChannels::kTelemetryFd},
                   {channels.store.theirs.get(), RankChannels::kStoreFd}};
    if (worker.sharedFd >= 0) options.fds.push_back({worker.sharedFd, RankChannels::kSharedFd});
    return options;
}

ChildProcess startWorker(const WorkerProgram& worker, const RankEnvironment& environment, UniqueFd& control,
                         UniqueFd& telemetry, UniqueFd& store) {
    Channels channels;
    ::setsockopt(channels.telemetry.theirs.get(), SOL_SOCKET, SO_SNDBUF, &kTelemetryBufferBytes,
                 sizeof kTelemetryBufferBytes);
    ChildProcess child(childOptions(worker, environment, channels));
    control = std::move(channels.control.ours);
    telemetry = std::move(channels.telemetry.ours);
    store = std::move(channels.store.ours);
    return child;
}

}  // namespace

RankProcess::RankProcess(const WorkerProgram& worker, const RankEnvironment& environment, UniqueFd& storeSocket)
    : RankLink(environment.rank),
      m_telemetryLines(Decoder::kMaxLine),
      m_outputLines(kMaxOutputLine),
      m_process(startWorker(worker, environment, m_control, m_telemetry, storeSocket)) {}

bool RankProcess::readTelemetry(const LineSink& line) {
    if (!m_telemetry) return false;
    if (readAvailable(m_telemetry.get(), m_telemetryLines, line)) return true;
    m_telemetry.reset();
    return false;
}

bool RankProcess::readOutput(const LineSink& line) {
    if (m_process.outputFd() < 0) return false;
    const auto keep = [&](std::string_view text) {
        m_lastLines.emplace_back(text);
        if (m_lastLines.size() > kMaxLastLines) m_lastLines.pop_front();
        line(text);
    };
    if (readAvailable(m_process.outputFd(), m_outputLines, keep)) return true;
    m_process.closeOutputFd();
    return false;
}

void RankProcess::sendControl(std::string_view line) const {
    [[maybe_unused]] const ssize_t sent =
        ::send(m_control.get(), line.data(), line.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
}

std::vector<std::string> RankProcess::lastLines() const {
    std::vector<std::string> lines(m_lastLines.begin(), m_lastLines.end());
    if (!m_outputLines.partial().empty()) lines.push_back(m_outputLines.partial());
    return lines;
}

bool RankProcess::isStopped() const {
    const auto stat = readFile("/proc/" + std::to_string(m_process.pid()) + "/stat", 4096);
    if (!stat) return false;
    // The state of the process follows the program's name in parentheses. The name may contain spaces and parentheses:
    // searches for the last ")".
    const std::size_t name = stat.value().rfind(") ");
    return name != std::string::npos && (stat.value()[name + 2] == 'T' || stat.value()[name + 2] == 't');
}

}  // namespace ringside
