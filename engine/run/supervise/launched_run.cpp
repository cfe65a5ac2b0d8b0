// SPDX-License-Identifier: Apache-2.0
#include "run/supervise/launched_run.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/crypto/secret.h"
#include "base/json/json_members.h"
#include "base/system/files.h"
#include "launch/channels/shared_handover.h"
#include "launch/channels/shared_memory.h"
#include "launch/layout/launch_sources.h"
#include "launch/layout/rank_environment.h"
#include "launch/wire/line_socket.h"
#include "run/ranks/remote_rank.h"
#include "run/supervise/supervisor.h"

namespace ringside {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kHandoverPatience{20};
constexpr std::chrono::seconds kWelcomePatience{10};
// Minimum deadline for the first telemetry line of a rank. Long, because ranks on other hosts may have to read their
// program and data over a network.
constexpr std::chrono::seconds kStartDeadline{60};

// Returns the message that starts the ranks. Hosts are numbered in the order of their lowest rank, so that rank 0's
// host is 0.
Welcome welcomeFor(const LaunchedRun& launched, const std::vector<Guest>& guests, const std::string& runDirectory) {
    Welcome welcome;
    welcome.runDirectory = runDirectory;
    welcome.device = textOf(launched.run.compute.device);
    welcome.resume = launched.run.config.training.resume;
    welcome.runStartUs = launched.runStartUs;
    welcome.sharedName = randomHex(16);
    std::vector<std::string> keys{hostKey()};
    welcome.hosts = {0};
    welcome.addresses = {""};
    for (const Guest& guest : guests) {
        const auto known = std::find(keys.begin(), keys.end(), guest.hostKey);
        welcome.hosts.push_back(static_cast<int>(known - keys.begin()));
        if (known == keys.end()) keys.push_back(guest.hostKey);
        welcome.addresses.push_back(guest.address);
        if (welcome.addresses[0].empty() && guest.hostKey != keys[0])
            welcome.addresses[0] = ownAddress(guest.control.get(), false);
    }
    return welcome;
}

// Replaces the shared-memory backend by Gloo if the ranks are on several hosts. Returns a problem if the experiment
// requests shared memory explicitly.
std::optional<Problem> chooseBackend(PreparedRun& run, int hosts) {
    ComputeChoice& compute = run.compute;
    if (hosts == 1 || compute.backend != CollectiveBackend::kShm) return {};
    const std::string spread = "the ranks are on " + std::to_string(hosts) + " hosts";
    if (choiceNamed<CollectiveBackend>(run.wantedBackend) == CollectiveBackend::kShm)
        return Problem{"parallel.backend", "is shm, but " + spread, "set it to auto or gloo"};
    compute.backend = CollectiveBackend::kGloo;
    compute.whyBackend = "Gloo over TCP: " + spread;
    run.config.parallel.backend = compute.backend;
    return {};
}

std::vector<std::string> notesOf(const LaunchedRun& launched, const RendezvousHost& host, const std::string& address,
                                 const std::vector<Guest>& guests) {
    std::vector<std::string> notes{"this is " + launched.layout.text()};
    if (!guests.empty())
        notes.push_back("the ranks connected at " + address + ", with " +
                        (launched.ownToken
                             ? "the token of RINGSIDE_TOKEN"
                             : "a token derived from the job name (set RINGSIDE_TOKEN to a secret token)"));
    for (const Guest& guest : guests)
        notes.push_back("rank " + std::to_string(guest.rank) + " is process " + std::to_string(guest.pid) + " on " +
                        guest.host + " (" + guest.address + ")");
    if (host.refusedConnections() > 0)
        notes.push_back(std::to_string(host.refusedConnections()) + " unauthenticated connections were refused");
    return notes;
}

void writeLaunchFile(const RunPaths& paths, const LaunchedRun& launched, const RendezvousHost& host,
                     const std::string& address, const std::vector<Guest>& guests) {
    Json ranks = Json::array({{{"rank", 0}, {"host", readLaunchSources().hostName}, {"address", ""}}});
    for (const Guest& guest : guests)
        ranks.push_back(
            {{"rank", guest.rank}, {"host", guest.host}, {"address", guest.address}, {"process", guest.pid}});
    const Json json = {{"version", 1},
                       {"launcher", textOf(launched.layout.launcher)},
                       {"found", launched.layout.found},
                       {"restart", launched.layout.restart},
                       {"met_at", address},
                       {"refused_connections", host.refusedConnections()},
                       {"ranks", std::move(ranks)}};
    writeFileAtomically(paths.launch(), jsonText(json, 2) + "\n");
}

// Creates the shared memory for the ranks of this computer. Calls sendWelcome(), which sends the ranks the message that
// starts the run. Passes the descriptor of the memory to the ranks that are not child processes of this process.
UniqueFd shareMemory(const Welcome& welcome, const std::function<void()>& sendWelcome) {
    const auto here = static_cast<int>(welcome.ranksOn(0).size());
    if (here == 1) {
        sendWelcome();
        return createSharedMemory(sharedMemoryBytes(1));
    }
    const SharedHandover handover(welcome.sharedName, 0);
    sendWelcome();
    UniqueFd shared = createSharedMemory(sharedMemoryBytes(here));
    handover.serve(shared.get(), here - 1, kHandoverPatience);
    return shared;
}

SupervisorOptions optionsFor(const LaunchedRun& launched, const Welcome& welcome, int sharedFd) {
    SupervisorOptions options;
    options.workerProgram = launched.worker;
    options.runStartUs = launched.runStartUs;
    options.workerEnvironment = {std::string(kLaunchedVariable) + "=1"};
    // A launcher sends several signals to stop a run. They must count as one stop request, like the signals of a
    // closing terminal.
    options.stopOnceFd = launched.stopFd;
    options.mayBeKilled = true;
    options.sharedFd = sharedFd;
    options.hosts = welcome.hosts;
    options.address = welcome.addresses[0];
    options.startDeadline = kStartDeadline;
    options.restart = launched.restart;
    options.commands = launched.commands;
    options.onChange = launched.onChange;
    if (welcome.hostCount() > 1 || !launched.hostName.empty())
        options.hostName = launched.hostName.empty() ? readLaunchSources().hostName : launched.hostName;
    return options;
}

RunEnded stoppedWhileWaiting() {
    RunEnded end;
    end.state = RunOutcome::kStopped;
    end.exitCode = static_cast<int>(ExitCode::kStopped);
    end.verdict = "stopped by request before all ranks had connected";
    return end;
}

}  // namespace

Result<RunEnded> hostLaunchedRun(LaunchedRun launched, RunDirectory directory) {
    RendezvousHost host(launched.terms, launched.layout, hostKey());
    std::string address;
    std::vector<Guest> guests;
    if (!launched.layout.isAlone()) {
        const Problems problems = host.listen();
        if (!problems.empty()) return problems.front();
        address = host.address();
        Result<Gathering> gathering = host.gather(launched.stopFd, launched.log);
        if (!gathering) {
            for (const Culprit& culprit : host.culprits()) {
                if (launched.onStartFailure) launched.onStartFailure(culprit);
            }
            return gathering.problem();
        }
        if (gathering.value().stopped) return stoppedWhileWaiting();
        guests = std::move(gathering).value().guests;
    }
    const RunPaths paths = directory.paths();
    Welcome welcome = welcomeFor(launched, guests, paths.directory.string());
    if (const auto problem = chooseBackend(launched.run, welcome.hostCount())) return *problem;
    welcome.backend = textOf(launched.run.compute.backend);
    const UniqueFd shared = shareMemory(welcome, [&] {
        const std::string line = encodeWelcome(welcome);
        for (const Guest& guest : guests) sendLine(guest.control.get(), line, steady_clock::now() + kWelcomePatience);
    });
    writeFileAtomically(paths.config(), launched.run.config.toText(2) + "\n");
    writeLaunchFile(paths, launched, host, address, guests);
    SupervisorOptions options = optionsFor(launched, welcome, shared.get());
    options.notes = notesOf(launched, host, address, guests);
    Supervisor supervisor(paths, launched.run, options);
    for (Guest& guest : guests) {
        UniqueFd store = std::move(guest.store);
        supervisor.adopt(std::make_unique<RemoteRank>(std::move(guest)), std::move(store));
    }
    supervisor.start();
    directory.keep();
    launched.log("all " + std::to_string(launched.layout.worldSize) +
                 " ranks are connected and start to train; run directory: " + paths.directory.string());
    RunEnded end = supervisor.run();
    directory.release();
    return end;
}

}  // namespace ringside
