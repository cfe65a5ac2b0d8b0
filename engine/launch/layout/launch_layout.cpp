// SPDX-License-Identifier: Apache-2.0
#include "launch/layout/launch_layout.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "launch/layout/unrecognised_rank.h"
#include "launch/layout/whole_number.h"

namespace ringside {
namespace {

constexpr int kMaxRanks = 1 << 20;  // maximum number of ranks: far above the limit of any launcher; prevents overflow
                                    // when environment variables contain larger numbers
constexpr const char* kHowByHand =
    "give --rank R --world-size W --master HOST:PORT, or start the program with torchrun, srun or mpirun";

// Reader of launcher variables into a LaunchLayout. Records the variables that were read and the first problem.
class Reader {
  public:
    Reader(const LaunchSources& sources, LaunchLayout& layout) : m_sources(sources), m_layout(layout) {}

    // Reads a number that must be set because the variable `because` is set.
    int needNumber(const std::string& name, const std::string& because) {
        const auto value = m_sources.find(name);
        if (!value) {
            fail({name, "is not set, although " + because + " is",
                  "start all ranks with one launcher, or unset " + because});
            return 0;
        }
        return numberOf(name, *value);
    }
    int numberOr(const std::string& name, int otherwise) {
        const auto value = m_sources.find(name);
        return value ? numberOf(name, *value) : otherwise;
    }
    std::string needText(const std::string& name, const std::string& because) {
        const auto value = m_sources.find(name);
        if (!value) fail({name, "is not set, although " + because + " is", "set it to the address of rank 0's host"});
        return value ? note(name, *value) : "";
    }
    std::string textOr(const std::string& name, const std::string& otherwise) {
        const auto value = m_sources.find(name);
        return value ? note(name, *value) : otherwise;
    }
    void fail(Problem problem) {
        if (!m_problem) m_problem = std::move(problem);
    }
    const std::optional<Problem>& problem() const { return m_problem; }

  private:
    int numberOf(const std::string& name, const std::string& value) {
        const auto number = wholeNumberIn(value, kMaxRanks);
        if (!number)
            fail({name, "is \"" + value + "\", which is not a rank number",
                  "unset this variable, which only a launcher may set"});
        note(name, value);
        return number.value_or(0);
    }
    std::string note(const std::string& name, const std::string& value) {
        m_layout.found.push_back(name + "=" + value);
        return value;
    }

    const LaunchSources& m_sources;
    LaunchLayout& m_layout;
    std::optional<Problem> m_problem;
};

int portOf(Reader& read, const std::string& value, const std::string& name) {
    const auto port = wholeNumberIn(value, 65535);
    if (!port || *port == 0)
        read.fail({name, "is \"" + value + "\", which is not a port", "use a port from 1 to 65535"});
    return port.value_or(0);
}

// Parses --master: "host:port", "host" or "[v6]:port".
void takeMaster(Reader& read, const std::string& master, LaunchLayout& layout) {
    const std::size_t close = master.find(']');
    const std::size_t colon = master.find(':', close == std::string::npos ? 0 : close);
    std::string host = master.substr(0, colon);
    if (close != std::string::npos && master.front() == '[') host = master.substr(1, close - 1);
    if (host.empty()) read.fail({"--master", "is \"" + master + "\"", "name rank 0's host as HOST:PORT"});
    layout.masterHosts = {host};
    if (colon != std::string::npos) layout.masterPort = portOf(read, master.substr(colon + 1), "--master");
}

void readTorchrun(Reader& read, const LaunchSources& sources, LaunchLayout& layout) {
    const bool elastic = sources.has("TORCHELASTIC_RUN_ID");
    const std::string because = elastic ? "TORCHELASTIC_RUN_ID" : sources.has("RANK") ? "RANK" : "WORLD_SIZE";
    layout.launcher = elastic ? LauncherKind::kTorchrun : LauncherKind::kEnvironment;
    layout.rank = read.needNumber("RANK", because);
    layout.worldSize = read.needNumber("WORLD_SIZE", because);
    layout.localRank = elastic ? read.needNumber("LOCAL_RANK", because) : read.numberOr("LOCAL_RANK", 0);
    layout.localSize = read.numberOr("LOCAL_WORLD_SIZE", 0);
    layout.restart = read.numberOr("TORCHELASTIC_RESTART_COUNT", 0);
    if (layout.worldSize == 1 || read.problem()) return;
    layout.masterHosts = {read.needText("MASTER_ADDR", because)};
    const std::string port = read.needText("MASTER_PORT", because);
    // torchrun's own store listens on MASTER_PORT: the port identifies the job, and the rendezvous uses another one.
    if (elastic || sources.find("TORCHELASTIC_USE_AGENT_STORE") == "True") {
        layout.job = "torchrun " + sources.find("TORCHELASTIC_RUN_ID").value_or("") + " " + layout.masterHosts[0] +
                     " " + port + " " + std::to_string(layout.restart);
    } else if (!read.problem()) {
        layout.masterPort = portOf(read, port, "MASTER_PORT");
        // Identifies the job by the port only, because MASTER_ADDR can have another value on rank 0 than on the other
        // ranks.
        layout.job = "env:// " + port;
        // Rank 0 listens on all addresses if MASTER_ADDR is localhost and the ranks run on several hosts, as PyTorch's
        // store does: Kubeflow sets MASTER_ADDR to localhost in the pod of rank 0 and to the name of this pod in the
        // other pods.
        const bool isHere = layout.masterHosts[0] == "localhost" && layout.localSize != layout.worldSize;
        if (layout.rank == 0 && isHere) layout.masterHosts = {"0.0.0.0"};
    }
}

// Returns the addresses of a URI such as "2374238208.0;tcp://10.0.0.1,172.17.0.1:45243".
std::vector<std::string> addressesIn(const std::string& uri) {
    std::vector<std::string> addresses;
    const std::size_t start = uri.find("tcp://");
    if (start == std::string::npos) return addresses;
    const std::size_t colon = uri.find(':', start + 6);
    std::string list = uri.substr(start + 6, colon == std::string::npos ? colon : colon - start - 6);
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t comma = std::min(list.find(',', at), list.size());
        if (comma > at) addresses.push_back(list.substr(at, comma - at));
        at = comma + 1;
    }
    return addresses;
}

void readOpenMpi(Reader& read, const LaunchSources& sources, LaunchLayout& layout) {
    layout.launcher = LauncherKind::kOpenMpi;
    layout.rank = read.needNumber("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE");
    layout.worldSize = read.needNumber("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK");
    layout.localRank = read.needNumber("OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_RANK");
    layout.localSize = read.numberOr("OMPI_COMM_WORLD_LOCAL_SIZE", 0);
    // Variable that contains the addresses of mpirun's host. Open MPI sets the variable only in versions up to 4.
    const std::string uri = sources.find("OMPI_MCA_orte_hnp_uri").value_or("");
    layout.masterHosts = addressesIn(uri);
    layout.job = "mpirun " + sources.find("PMIX_NAMESPACE").value_or("") + " " + uri;
}

// Reads PMI's variables. They contain no identifier of the job: PMI_FD and PMI_PORT differ between processes and hosts.
void readPmi(Reader& read, const LaunchSources& sources, LaunchLayout& layout) {
    const ServerLayout& server = sources.server;
    layout.launcher = LauncherKind::kPmi;
    if (server.rank && server.worldSize && !sources.has("PMI_RANK")) {
        layout.rank = *server.rank;
        layout.worldSize = *server.worldSize;
        read.textOr("PMI_PORT", "");
        read.textOr("PMI_ID", "");
    } else {
        layout.rank = read.needNumber("PMI_RANK", "PMI_SIZE");
        layout.worldSize = read.needNumber("PMI_SIZE", "PMI_RANK");
    }
    layout.localRank = read.numberOr("MPI_LOCALRANKID", 0);
    layout.localSize = read.numberOr("MPI_LOCALNRANKS", 0);
}

void readPmix(Reader& read, const LaunchSources& sources, LaunchLayout& layout) {
    const ServerLayout& server = sources.server;
    layout.launcher = LauncherKind::kPmix;
    layout.rank = read.needNumber("PMIX_RANK", "PMIX_NAMESPACE");
    read.textOr("PMIX_NAMESPACE", "");
    if (!server.worldSize)
        return read.fail({"PMIX_RANK", "is set, but the PMIx server does not provide the number of ranks",
                          "give --rank R --world-size W --master HOST:PORT"});
    layout.worldSize = *server.worldSize;
    layout.localRank = server.localRank.value_or(0);
    layout.localSize = server.localSize.value_or(0);
}

// Derives the host of each rank, assuming srun's default block distribution of tasks. Leaves the hosts empty if
// SLURM_DISTRIBUTION is set.
void readSlurmHosts(const LaunchSources& sources, const std::vector<int>& tasks, LaunchLayout& layout) {
    const std::vector<std::string> nodes = expandHostList(sources.find("SLURM_STEP_NODELIST").value_or(""));
    if (!nodes.empty()) layout.masterHosts = {nodes.front()};
    if (const auto launch = sources.find("SLURM_LAUNCH_NODE_IPADDR")) layout.masterHosts.push_back(*launch);
    if (nodes.size() != tasks.size() || sources.has("SLURM_DISTRIBUTION")) return;
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        layout.hosts.insert(layout.hosts.end(), static_cast<std::size_t>(tasks[node]), nodes[node]);
    }
    if (layout.hosts.size() != static_cast<std::size_t>(layout.worldSize)) layout.hosts.clear();
}

void readSlurm(Reader& read, const LaunchSources& sources, LaunchLayout& layout) {
    const std::string because = sources.has("SLURM_STEP_ID") ? "SLURM_STEP_ID" : "SLURM_STEPID";
    layout.launcher = LauncherKind::kSlurm;
    layout.rank = read.needNumber("SLURM_PROCID", because);
    layout.localRank = read.needNumber("SLURM_LOCALID", because);
    layout.worldSize = sources.has("SLURM_STEP_NUM_TASKS") ? read.needNumber("SLURM_STEP_NUM_TASKS", because)
                                                           : read.needNumber("SLURM_NTASKS", because);
    const std::vector<int> tasks = expandTasksPerNode(sources.find("SLURM_STEP_TASKS_PER_NODE").value_or("0"));
    const int node = read.numberOr("SLURM_NODEID", 0);
    if (static_cast<std::size_t>(node) < tasks.size()) layout.localSize = tasks[static_cast<std::size_t>(node)];
    layout.restart = read.numberOr("SLURM_RESTART_COUNT", 0);
    layout.job = "slurm " + read.textOr("SLURM_JOB_ID", "") + "." + sources.find(because).value_or("") + " " +
                 std::to_string(layout.restart);
    readSlurmHosts(sources, tasks, layout);
}

// Reads a PBS node file, which has one line per process. The file does not contain this process's rank, so --rank is
// needed.
void readNodeFile(const LaunchSources& sources, LaunchLayout& layout) {
    const std::vector<std::string>& lines = sources.nodeFile;
    if (lines.empty()) return;
    layout.found.push_back("PBS_NODEFILE with " + std::to_string(lines.size()) + " lines");
    if (layout.worldSize == 0) layout.worldSize = static_cast<int>(lines.size());
    if (layout.masterHosts.empty()) layout.masterHosts = {lines.front()};
    layout.job = "pbs " + sources.find("PBS_JOBID").value_or("");
    if (layout.worldSize != static_cast<int>(lines.size()) || layout.rank >= layout.worldSize) return;
    layout.hosts = lines;
    const std::string& own = lines[static_cast<std::size_t>(layout.rank)];
    layout.localSize = static_cast<int>(std::count(lines.begin(), lines.end(), own));
    layout.localRank = static_cast<int>(std::count(lines.begin(), lines.begin() + layout.rank, own));
}

void readOptions(Reader& read, const LaunchOptions& options, const LaunchSources& sources, LaunchLayout& layout) {
    layout.launcher = sources.nodeFile.empty() ? LauncherKind::kByHand : LauncherKind::kPbs;
    if (!options.rank) return read.fail({"--rank", "is missing, but --world-size is given", kHowByHand});
    layout.rank = *options.rank;
    layout.worldSize = options.worldSize.value_or(0);
    layout.found.push_back("--rank " + std::to_string(layout.rank));
    if (options.worldSize) layout.found.push_back("--world-size " + std::to_string(layout.worldSize));
    readNodeFile(sources, layout);
    if (layout.worldSize == 0) return read.fail({"--world-size", "is missing, but --rank is given", kHowByHand});
    if (layout.masterHosts.empty() && options.master.empty() && layout.worldSize > 1)
        read.fail({"--master", "is missing: ranks that are started manually need it for the rendezvous", kHowByHand});
}

void overrideWith(Reader& read, const LaunchOptions& options, LaunchLayout& layout) {
    if (options.localRank) layout.localRank = *options.localRank;
    if (options.master.empty()) return;
    layout.found.push_back("--master " + options.master);
    takeMaster(read, options.master, layout);
    if (layout.launcher == LauncherKind::kByHand) layout.job = "by hand " + options.master;
    if (layout.launcher == LauncherKind::kByHand && layout.masterPort == 0 && layout.worldSize > 1)
        read.fail(
            {"--master", "is \"" + options.master + "\", without a port", "write HOST:PORT, the same on all ranks"});
}

void checkNumbers(Reader& read, const LaunchLayout& layout) {
    const std::string by = " (" + textOf(layout.launcher) + ")";
    if (layout.worldSize < 1)
        return read.fail(
            {"the number of ranks", "is " + std::to_string(layout.worldSize) + by, "start at least one rank"});
    if (layout.rank >= layout.worldSize)
        read.fail({"the rank",
                   "is " + std::to_string(layout.rank) + by + ", but the " + std::to_string(layout.worldSize) +
                       " ranks are numbered from 0 to " + std::to_string(layout.worldSize - 1),
                   "check which program or script sets the rank"});
    if (layout.localSize > layout.worldSize || (layout.localSize > 0 && layout.localRank >= layout.localSize))
        read.fail({"the local rank",
                   "is " + std::to_string(layout.localRank) + by + ", but this host has " +
                       std::to_string(layout.localSize) + " ranks of " + std::to_string(layout.worldSize) + " in total",
                   "check which program or script sets the local rank"});
}

// True if srun started this process, so that the variables of its Slurm step describe it. False for a process of an
// mpiexec or prterun that uses srun to start its daemons on the nodes: the process inherits the variables of the
// daemons' step, whose number of tasks is the number of daemons.
bool isSlurmTask(const LaunchSources& sources) {
    if (!sources.has("SLURM_STEP_ID") && !sources.has("SLURM_STEPID")) return false;
    if (sources.has("MPI_LOCALNRANKS")) return false;  // set by Hydra: MPICH and Intel MPI
    const auto size = sources.find("PMI_SIZE");        // srun --mpi=pmi2 sets it, too
    const auto tasks = sources.find("SLURM_STEP_NUM_TASKS");
    if (size && tasks && size != tasks) return false;
    const auto space = sources.find("PMIX_NAMESPACE");
    return !space || space->starts_with("slurm.");  // srun --mpi=pmix sets a namespace of this form
}

}  // namespace

std::optional<std::string> LaunchSources::find(const std::string& name) const {
    const auto found = environment.find(name);
    if (found == environment.end() || found->second.empty()) return {};
    return found->second;
}

std::string LaunchLayout::text() const {
    std::string line = "rank " + std::to_string(rank) + " of " + std::to_string(worldSize);
    if (localSize > 0) line += " (local rank " + std::to_string(localRank) + " of " + std::to_string(localSize) + ")";
    const bool isProgram = launcher != LauncherKind::kByHand && launcher != LauncherKind::kAlone;
    line += (isProgram ? ", by " : ", ") + textOf(launcher);
    for (std::size_t i = 0; i < found.size(); ++i) line += (i == 0 ? ": " : ", ") + found[i];
    return line;
}

std::optional<Problem> launchConflict(const LaunchLayout& layout, const LaunchSources& sources) {
    const bool readsThem = layout.launcher == LauncherKind::kTorchrun || layout.launcher == LauncherKind::kEnvironment;
    if (readsThem || layout.launcher == LauncherKind::kByHand) return {};
    for (const auto& [name, value] : {std::pair{"RANK", layout.rank}, std::pair{"WORLD_SIZE", layout.worldSize}}) {
        const auto other = sources.find(name);
        if (!other || wholeNumberIn(*other, kMaxRanks) == value) continue;
        return Problem{name, "is " + *other + ", but " + textOf(layout.launcher) + " reports " + std::to_string(value),
                       "unset this variable, so that only the launcher sets it"};
    }
    return {};
}

std::string LaunchLayout::hostOf(int which) const {
    return static_cast<std::size_t>(which) < hosts.size() ? hosts[static_cast<std::size_t>(which)] : "";
}

ServerKind serverNeededBy(const LaunchOptions& options, const LaunchSources& sources) {
    const auto all = [&](const char* one, const char* other) { return sources.has(one) && sources.has(other); };
    if (options.rank || options.worldSize || sources.has("TORCHELASTIC_RUN_ID")) return ServerKind::kNone;
    if (sources.has("OMPI_COMM_WORLD_RANK")) {
        const auto local = sources.find("OMPI_COMM_WORLD_LOCAL_SIZE");
        const bool isOneHost = local && local == sources.find("OMPI_COMM_WORLD_SIZE");
        return isOneHost || !sources.has("PMIX_NAMESPACE") ? ServerKind::kNone : ServerKind::kPmix;
    }
    if (isSlurmTask(sources)) return ServerKind::kNone;
    if (all("PMI_RANK", "PMI_FD") || all("PMI_ID", "PMI_PORT")) return ServerKind::kPmi;
    if (sources.has("PMI_RANK") || all("RANK", "WORLD_SIZE")) return ServerKind::kNone;
    return all("PMIX_RANK", "PMIX_NAMESPACE") ? ServerKind::kPmix : ServerKind::kNone;
}

Result<LaunchLayout> findLaunchLayout(const LaunchOptions& options, const LaunchSources& sources) {
    LaunchLayout layout;
    Reader read(sources, layout);
    const auto either = [&](const char* one, const char* other) { return sources.has(one) || sources.has(other); };
    if (options.rank || options.worldSize) {
        readOptions(read, options, sources, layout);
    } else if (sources.has("TORCHELASTIC_RUN_ID")) {
        readTorchrun(read, sources, layout);
    } else if (either("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE")) {
        readOpenMpi(read, sources, layout);
    } else if (isSlurmTask(sources)) {
        readSlurm(read, sources, layout);
    } else if (either("PMI_RANK", "PMI_SIZE") || serverNeededBy(options, sources) == ServerKind::kPmi) {
        readPmi(read, sources, layout);
    } else if (either("RANK", "WORLD_SIZE")) {
        readTorchrun(read, sources, layout);
    } else if (sources.has("PMIX_RANK")) {
        readPmix(read, sources, layout);
    } else if (!sources.nodeFile.empty() && sources.nodeFile.size() > 1) {
        read.fail({"PBS_NODEFILE",
                   "has " + std::to_string(sources.nodeFile.size()) + " lines, but PBS does not number ranks",
                   "give each rank its number with --rank, as the script of ringsidectl export --to pbs does"});
    } else if (const auto unknown = unrecognisedRank(sources)) {
        read.fail(*unknown);
    } else {
        layout.launcher = LauncherKind::kAlone;
        layout.localSize = 1;
    }
    if (!read.problem()) overrideWith(read, options, layout);
    if (!read.problem()) checkNumbers(read, layout);
    if (read.problem()) return *read.problem();
    if (layout.isAlone()) layout.localSize = 1;
    if (layout.isOneHost() && layout.masterPort == 0) layout.masterHosts = {"127.0.0.1"};
    return layout;
}

}  // namespace ringside
