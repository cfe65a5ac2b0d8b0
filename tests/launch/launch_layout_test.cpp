// SPDX-License-Identifier: Apache-2.0
#include "launch/layout/launch_layout.h"

#include "support/catch.h"

using namespace ringside;

namespace {

using Variables = std::map<std::string, std::string>;

LaunchLayout layoutIn(const Variables& environment, const LaunchOptions& options = {},
                      const std::vector<std::string>& nodeFile = {}) {
    const Result<LaunchLayout> layout = findLaunchLayout(options, {environment, nodeFile, "here"});
    INFO((layout ? "" : layout.problem().text()));
    REQUIRE(layout.ok());
    return layout.value();
}

std::string problemIn(const Variables& environment, const LaunchOptions& options = {},
                      const std::vector<std::string>& nodeFile = {}) {
    const Result<LaunchLayout> layout = findLaunchLayout(options, {environment, nodeFile, "here"});
    REQUIRE_FALSE(layout.ok());
    return layout.problem().text();
}

bool holds(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Variables of torchrun in PyTorch 1.13 for the fourth of six ranks on three hosts.
const Variables kTorchrun = {{"RANK", "3"},
                             {"WORLD_SIZE", "6"},
                             {"LOCAL_RANK", "1"},
                             {"LOCAL_WORLD_SIZE", "2"},
                             {"GROUP_RANK", "1"},
                             {"MASTER_ADDR", "10.0.0.7"},
                             {"MASTER_PORT", "29500"},
                             {"TORCHELASTIC_RUN_ID", "none"},
                             {"TORCHELASTIC_RESTART_COUNT", "2"},
                             {"TORCHELASTIC_USE_AGENT_STORE", "True"}};

const Variables kOpenMpi = {
    {"OMPI_COMM_WORLD_RANK", "5"},       {"OMPI_COMM_WORLD_SIZE", "6"},
    {"OMPI_COMM_WORLD_LOCAL_RANK", "1"}, {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
    {"PMIX_NAMESPACE", "3312713729"},    {"OMPI_MCA_orte_hnp_uri", "3312713728.0;tcp://10.0.0.7,172.17.0.1:45243"}};

const Variables kSlurm = {{"SLURM_JOB_ID", "77"},
                          {"SLURM_STEP_ID", "0"},
                          {"SLURM_PROCID", "4"},
                          {"SLURM_LOCALID", "0"},
                          {"SLURM_NODEID", "2"},
                          {"SLURM_STEP_NUM_TASKS", "5"},
                          {"SLURM_NTASKS", "5"},
                          {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"},
                          {"SLURM_STEP_NODELIST", "n[1-3]"},
                          {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"}};

Variables with(Variables variables, const std::string& name, const std::string& value) {
    variables[name] = value;
    return variables;
}

Variables without(Variables variables, const std::string& name) {
    variables.erase(name);
    return variables;
}

Variables both(Variables one, const Variables& other) {
    one.insert(other.begin(), other.end());
    return one;
}

}  // namespace

TEST_CASE("without a launcher the process is the only rank") {
    const LaunchLayout layout = layoutIn({{"HOME", "/root"}});
    CHECK(layout.launcher == LauncherKind::kAlone);
    CHECK(layout.isAlone());
    CHECK(layout.text() == "rank 0 of 1 (local rank 0 of 1), alone");
}

TEST_CASE("torchrun's variables give rank, size, local rank and rendezvous address") {
    const LaunchLayout layout = layoutIn(kTorchrun);
    CHECK(layout.launcher == LauncherKind::kTorchrun);
    CHECK(layout.rank == 3);
    CHECK(layout.worldSize == 6);
    CHECK(layout.localRank == 1);
    CHECK(layout.localSize == 2);
    CHECK(layout.restart == 2);
    CHECK(layout.masterHosts == std::vector<std::string>{"10.0.0.7"});
    CHECK(layout.masterPort == 0);  // not 29500, because the launcher's own store listens on that port
    CHECK_FALSE(layout.isOneHost());
    CHECK(holds(layout.text(), "rank 3 of 6 (local rank 1 of 2), by torchrun: RANK=3, WORLD_SIZE=6"));
}

TEST_CASE("another start by torchrun is another job") {
    CHECK(layoutIn(kTorchrun).job == layoutIn(with(kTorchrun, "RANK", "4")).job);
    CHECK(layoutIn(kTorchrun).job != layoutIn(with(kTorchrun, "TORCHELASTIC_RESTART_COUNT", "3")).job);
    CHECK(layoutIn(kTorchrun).job != layoutIn(with(kTorchrun, "MASTER_PORT", "29501")).job);
}

TEST_CASE("RANK, WORLD_SIZE and MASTER_ADDR alone are PyTorch's env://, and its port is used") {
    const LaunchLayout layout =
        layoutIn({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "4000"}});
    CHECK(layout.launcher == LauncherKind::kEnvironment);
    CHECK(layout.masterPort == 4000);
    CHECK(layout.localSize == 0);
    CHECK(layout.job == "env:// 4000");
}

TEST_CASE("an incomplete environment is refused with the missing variable") {
    CHECK(holds(problemIn({{"RANK", "1"}}), "WORLD_SIZE is not set, although RANK is"));
    CHECK(holds(problemIn({{"WORLD_SIZE", "2"}}), "RANK is not set, although WORLD_SIZE is"));
    CHECK(holds(problemIn({{"RANK", "1"}, {"WORLD_SIZE", "2"}}), "MASTER_ADDR is not set"));
    CHECK(holds(problemIn(without(kTorchrun, "LOCAL_RANK")), "LOCAL_RANK is not set, although TORCHELASTIC_RUN_ID is"));
    CHECK(holds(problemIn(with(kTorchrun, "WORLD_SIZE", "")), "WORLD_SIZE is not set"));
    CHECK(holds(problemIn(without(kOpenMpi, "OMPI_COMM_WORLD_SIZE")), "OMPI_COMM_WORLD_SIZE is not set"));
    CHECK(holds(problemIn(without(kOpenMpi, "OMPI_COMM_WORLD_LOCAL_RANK")), "OMPI_COMM_WORLD_LOCAL_RANK is not set"));
    CHECK(holds(problemIn(without(kSlurm, "SLURM_PROCID")), "SLURM_PROCID is not set, although SLURM_STEP_ID is"));
    CHECK(holds(problemIn({{"PMI_RANK", "0"}}), "PMI_SIZE is not set, although PMI_RANK is"));
}

TEST_CASE("impossible numbers are refused with their source") {
    CHECK(holds(problemIn(with(kTorchrun, "RANK", "6")),
                "the rank is 6 (torchrun), but the 6 ranks are numbered from 0 to 5"));
    CHECK(holds(problemIn(with(kTorchrun, "RANK", "three")), "RANK is \"three\", which is not a rank number"));
    CHECK(holds(problemIn(with(kTorchrun, "RANK", "-1")), "RANK is \"-1\""));
    CHECK(holds(problemIn(with(kTorchrun, "LOCAL_RANK", "2")),
                "the local rank is 2 (torchrun), but this host has 2 ranks"));
    CHECK(holds(problemIn(with(kTorchrun, "WORLD_SIZE", "99999999999")), "WORLD_SIZE is \"99999999999\""));
    CHECK(holds(problemIn({{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "70000"}}),
                "MASTER_PORT is \"70000\", which is not a port"));
}

TEST_CASE("mpirun's variables give rank, size and the addresses of its host") {
    const LaunchLayout layout = layoutIn(kOpenMpi);
    CHECK(layout.launcher == LauncherKind::kOpenMpi);
    CHECK(layout.rank == 5);
    CHECK(layout.worldSize == 6);
    CHECK(layout.localSize == 2);
    CHECK(layout.masterHosts == std::vector<std::string>{"10.0.0.7", "172.17.0.1"});
}

TEST_CASE("ranks of one host use the loopback address for the rendezvous") {
    const Variables all = with(kOpenMpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "6");
    CHECK(layoutIn(all).masterHosts == std::vector<std::string>{"127.0.0.1"});
}

TEST_CASE("mpirun has precedence inside a Slurm allocation, where Slurm's variables belong to its daemons") {
    const LaunchLayout layout = layoutIn(both(kOpenMpi, kSlurm));
    CHECK(layout.launcher == LauncherKind::kOpenMpi);
    CHECK(layout.worldSize == 6);
}

TEST_CASE("torchrun has precedence inside a Slurm step") {
    CHECK(layoutIn(both(kTorchrun, kSlurm)).launcher == LauncherKind::kTorchrun);
}

TEST_CASE("a Slurm step gives rank, size and the hosts of all ranks") {
    const LaunchLayout layout = layoutIn(kSlurm);
    CHECK(layout.launcher == LauncherKind::kSlurm);
    CHECK(layout.rank == 4);
    CHECK(layout.worldSize == 5);
    CHECK(layout.localSize == 1);
    CHECK(layout.masterHosts == std::vector<std::string>{"n1", "10.0.0.1"});
    CHECK(layout.hosts == std::vector<std::string>{"n1", "n1", "n2", "n2", "n3"});
    CHECK(layout.hostOf(3) == "n2");
    CHECK(layout.hostOf(9).empty());
}

TEST_CASE("a batch script or a shell with several Slurm tasks is refused with the advice to use srun") {
    CHECK(holds(problemIn(without(kSlurm, "SLURM_STEP_ID")), "SLURM_NTASKS is 5, but srun did not start this process"));
    CHECK(holds(problemIn({{"SLURM_JOB_NUM_NODES", "2"}, {"SLURM_JOB_ID", "3"}, {"SLURM_PROCID", "0"}}), "srun"));
    CHECK(layoutIn({{"SLURM_NTASKS", "1"}, {"SLURM_NNODES", "1"}, {"SLURM_PROCID", "0"}}).isAlone());
    CHECK(holds(problemIn({{"SLURM_NTASKS", "1"}, {"SLURM_HET_SIZE", "2"}, {"SLURM_PROCID", "0"}}), "SLURM_HET_SIZE"));
    CHECK(layoutIn({{"SLURM_JOB_ID", "3"}, {"SLURM_ARRAY_TASK_ID", "2"}, {"SLURM_ARRAY_TASK_COUNT", "4"}}).isAlone());
    // sbatch --exclusive -N1: the number of tasks is that of the CPUs, but the script is one process.
    CHECK(layoutIn({{"SLURM_TASKS_PER_NODE", "48"}, {"SLURM_NNODES", "1"}, {"SLURM_PROCID", "0"}}).isAlone());
}

TEST_CASE("a rank of a launcher that cannot be read is refused instead of training alone") {
    const std::vector<std::pair<Variables, std::string>> cases = {
        {{{"PALS_RANKID", "2"}, {"PALS_NODEID", "0"}}, "PALS_RANKID is 2"},
        {{{"PALS_RANKID", "0"}}, "PALS_RANKID is 0"},
        // one process on each of several hosts: PALS sets no total number
        {{{"PALS_RANKID", "0"}, {"PALS_LOCAL_RANKID", "0"}, {"PALS_LOCAL_SIZE", "1"}, {"PALS_NODEID", "0"}},
         "a launcher has given this process a rank"},
        {{{"ACME_RANK", "0"}, {"ACME_NNODES", "1"}}, "ACME_RANK is 0"},
        {{{"FLUX_TASK_RANK", "0"}, {"FLUX_TASK_LOCAL_ID", "0"}, {"FLUX_JOB_SIZE", "2"}, {"FLUX_JOB_NNODES", "2"}},
         "FLUX_TASK_RANK is 0 and FLUX_JOB_"},
        {{{"JSM_NAMESPACE_RANK", "0"},
          {"JSM_NAMESPACE_LOCAL_RANK", "0"},
          {"JSM_NAMESPACE_SIZE", "2"},
          {"JSM_NAMESPACE_LOCAL_SIZE", "1"}},
         "JSM_NAMESPACE_SIZE 2"},
        {{{"SM_CURRENT_HOST_RANK", "0"}, {"SM_HOST_COUNT", "2"}}, "SM_HOST_COUNT is 2"},
        {{{"FLUX_TASK_RANK", "0"}, {"FLUX_JOB_SIZE", "4"}}, "FLUX_TASK_RANK is 0 and FLUX_JOB_SIZE 4"},
        {{{"JSM_NAMESPACE_RANK", "1"}, {"JSM_NAMESPACE_SIZE", "4"}}, "JSM_NAMESPACE_RANK is 1"},
        {{{"MV2_COMM_WORLD_RANK", "0"}, {"MV2_COMM_WORLD_SIZE", "2"}}, "MV2_COMM_WORLD_RANK is 0"},
        {{{"ACME_PROCID", "3"}, {"ACME_NTASKS", "4"}}, "ACME_PROCID is 3"},
        {{{"NODE_RANK", "0"}, {"NODE_COUNT", "2"}}, "NODE_RANK is 0"},
        {{{"PET_NNODES", "2"}, {"PET_NPROC_PER_NODE", "auto"}}, "PET_NNODES is 2"},
        {{{"PET_NNODES", "1"}, {"PET_NPROC_PER_NODE", "4"}}, "PET_NPROC_PER_NODE is 4"},
        {{{"SM_HOSTS", "[\"algo-1\",\"algo-2\"]"}, {"SM_CURRENT_HOST", "algo-1"}}, "SM_HOSTS is"},
        {{{"PMI_ID", "1"}}, "PMI_ID is 1"}};
    for (const auto& [environment, message] : cases) {
        CHECK(holds(problemIn(environment), message));
        CHECK(holds(problemIn(environment), "a single rank: --rank 0 --world-size 1"));
        CHECK(layoutIn(environment, {0, 1, {}, ""}).isAlone());
    }
}

TEST_CASE("variables that do not number processes change nothing for a single rank") {
    CHECK(layoutIn({{"HISTSIZE", "1000"},
                    {"XCURSOR_SIZE", "24"},
                    {"SGE_TASK_ID", "3"},
                    {"PBS_ARRAY_INDEX", "2"},
                    {"LSB_JOBINDEX", "2"},
                    {"JOB_COMPLETION_INDEX", "1"},
                    {"SM_HOSTS", "[\"algo-1\"]"},
                    {"SM_HOST_COUNT", "1"},
                    {"SM_CURRENT_HOST_RANK", "0"},
                    {"SM_NUM_GPUS", "8"},
                    {"FLUX_TASK_RANK", "0"},
                    {"FLUX_JOB_SIZE", "1"},
                    {"FLUX_JOB_NNODES", "1"},
                    {"JSM_NAMESPACE_RANK", "0"},
                    {"JSM_NAMESPACE_SIZE", "1"},
                    {"JSM_NAMESPACE_LOCAL_SIZE", "1"},
                    {"PET_NNODES", "1"}})
              .isAlone());
}

TEST_CASE("a step of one task is a single rank") {
    Variables one = with(kSlurm, "SLURM_STEP_NUM_TASKS", "1");
    one["SLURM_PROCID"] = one["SLURM_NODEID"] = "0";
    one["SLURM_STEP_TASKS_PER_NODE"] = "1";
    CHECK(layoutIn(one).isAlone());
}

TEST_CASE("MPICH and Intel MPI are detected by PMI, unless srun provides it") {
    const Variables pmi = {
        {"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}, {"MPI_LOCALNRANKS", "2"}, {"PMI_FD", "7"}};
    CHECK(layoutIn(pmi).launcher == LauncherKind::kPmi);
    CHECK(layoutIn(pmi).isOneHost());
    const Variables srunPmi2 = {{"PMI_RANK", "4"}, {"PMI_SIZE", "5"}, {"PMI_FD", "13"}, {"PMI_JOBID", "77.0"}};
    CHECK(layoutIn(both(srunPmi2, kSlurm)).launcher == LauncherKind::kSlurm);
    CHECK(layoutIn({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"PMI_FD", "7"}}).localSize == 0);  // gforker, Flux
}

TEST_CASE("ranks of an mpiexec that reaches the nodes through srun are not the tasks of that srun") {
    // MPICH 4.0.2 sets these variables with -np 5 in a job of three nodes: one daemon on each node is a task of srun.
    const Variables daemon = with(with(with(kSlurm, "SLURM_STEP_NUM_TASKS", "3"), "SLURM_PROCID", "2"), "PMI_FD", "6");
    const Variables hydra =
        both(daemon, {{"PMI_RANK", "4"}, {"PMI_SIZE", "5"}, {"MPI_LOCALNRANKS", "1"}, {"MPI_LOCALRANKID", "0"}});
    CHECK(serverNeededBy({}, {hydra, {}, "here"}) == ServerKind::kPmi);
    CHECK(layoutIn(hydra).launcher == LauncherKind::kPmi);
    CHECK(layoutIn(hydra).rank == 4);
    CHECK(layoutIn(hydra).worldSize == 5);
    // One rank on each node: the numbers are equal, the order may differ.
    const Variables even = with(with(hydra, "PMI_SIZE", "3"), "PMI_RANK", "0");
    CHECK(layoutIn(even).launcher == LauncherKind::kPmi);
    CHECK(layoutIn(even).rank == 0);
    const Variables port = both(daemon, {{"PMI_ID", "4"}, {"PMI_PORT", "n1:4000"}, {"MPI_LOCALNRANKS", "1"}});
    CHECK(serverNeededBy({}, {port, {}, "here"}) == ServerKind::kPmi);
    // gforker in a step of one task
    CHECK(layoutIn(both(with(kSlurm, "SLURM_STEP_NUM_TASKS", "1"), {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}})).rank == 1);
    const Variables prterun = both(daemon, {{"PMIX_RANK", "4"}, {"PMIX_NAMESPACE", "prterun-n1-77@1"}});
    CHECK(serverNeededBy({}, {prterun, {}, "here"}) == ServerKind::kPmix);
    const Result<LaunchLayout> pmix = findLaunchLayout({}, {prterun, {}, "here", {4, 5, 0, 1}});
    REQUIRE(pmix.ok());
    CHECK(pmix.value().launcher == LauncherKind::kPmix);
    const Variables srunPmix = {{"PMIX_RANK", "4"}, {"PMIX_NAMESPACE", "slurm.pmix.77.0"}};
    CHECK(layoutIn(both(srunPmix, kSlurm)).launcher == LauncherKind::kSlurm);
}

TEST_CASE("answers of a PMI or PMIx server complete the variables") {
    const Variables port = {
        {"PMI_ID", "1"}, {"PMI_PORT", "node1:4000"}, {"MPI_LOCALNRANKS", "2"}, {"MPI_LOCALRANKID", "1"}};
    const Result<LaunchLayout> pmi = findLaunchLayout({}, {port, {}, "here", {1, 2, {}, {}}});
    REQUIRE(pmi.ok());
    CHECK(pmi.value().launcher == LauncherKind::kPmi);
    CHECK(pmi.value().rank == 1);
    CHECK(pmi.value().worldSize == 2);
    CHECK(pmi.value().job.empty());  // empty, because the ranks exchange the job through the server
    const Variables pmix = {{"PMIX_RANK", "3"}, {"PMIX_NAMESPACE", "prun@1"}};
    const Result<LaunchLayout> layout = findLaunchLayout({}, {pmix, {}, "here", {3, 4, 1, 2}});
    REQUIRE(layout.ok());
    CHECK(layout.value().launcher == LauncherKind::kPmix);
    CHECK(layout.value().rank == 3);
    CHECK(layout.value().worldSize == 4);
    CHECK(layout.value().localSize == 2);
}

TEST_CASE("the launcher's server is queried only where the variables are not sufficient") {
    const auto needed = [](const Variables& environment, const LaunchOptions& options = {}) {
        return serverNeededBy(options, {environment, {}, "here"});
    };
    const Variables hydra = {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"PMI_FD", "7"}};
    CHECK(needed(hydra) == ServerKind::kPmi);
    CHECK(needed(hydra, {1, 2, {}, "a:1"}) == ServerKind::kNone);
    CHECK(needed(with(both(hydra, kSlurm), "PMI_SIZE", "5")) == ServerKind::kNone);  // srun --mpi=pmi2
    CHECK(needed({{"PMI_ID", "1"}, {"PMI_PORT", "a:1"}}) == ServerKind::kPmi);
    CHECK(needed(kOpenMpi) == ServerKind::kPmix);
    CHECK(needed(with(kOpenMpi, "OMPI_COMM_WORLD_LOCAL_SIZE", "6")) == ServerKind::kNone);
    CHECK(needed({{"PMIX_RANK", "1"}, {"PMIX_NAMESPACE", "x"}}) == ServerKind::kPmix);
    CHECK(needed(kTorchrun) == ServerKind::kNone);
    CHECK(needed({}) == ServerKind::kNone);
}

TEST_CASE("Kubeflow's localhost for rank 0 means every address of its pod, as for PyTorch's store") {
    const Variables pod = {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "localhost"}, {"MASTER_PORT", "23456"}};
    CHECK(layoutIn(pod).masterHosts == std::vector<std::string>{"0.0.0.0"});
    CHECK(layoutIn(with(pod, "RANK", "1")).masterHosts == std::vector<std::string>{"localhost"});
    CHECK(layoutIn(with(pod, "LOCAL_WORLD_SIZE", "2")).masterHosts == std::vector<std::string>{"localhost"});
    CHECK(layoutIn(with(pod, "MASTER_ADDR", "127.0.0.1")).masterHosts == std::vector<std::string>{"127.0.0.1"});
}

TEST_CASE("a node file of PBS gives everything except the rank") {
    const std::vector<std::string> nodes = {"n1", "n1", "n2", "n2"};
    const Variables pbs = {{"PBS_JOBID", "9.server"}};
    const LaunchLayout layout = layoutIn(pbs, {3, {}, {}, ""}, nodes);
    CHECK(layout.launcher == LauncherKind::kPbs);
    CHECK(layout.worldSize == 4);
    CHECK(layout.localRank == 1);
    CHECK(layout.localSize == 2);
    CHECK(layout.masterHosts == std::vector<std::string>{"n1"});
    CHECK(layout.hosts == nodes);
    CHECK(holds(problemIn(pbs, {}, nodes), "PBS_NODEFILE has 4 lines, but PBS does not number ranks"));
}

TEST_CASE("the command line has precedence over any launcher") {
    const LaunchLayout layout = layoutIn(kTorchrun, {1, 2, {}, "n9:4321"});
    CHECK(layout.launcher == LauncherKind::kByHand);
    CHECK(layout.rank == 1);
    CHECK(layout.worldSize == 2);
    CHECK(layout.masterHosts == std::vector<std::string>{"n9"});
    CHECK(layout.masterPort == 4321);
    CHECK(layoutIn({}, {1, 2, {}, "[fe80::1]:4321"}).masterHosts == std::vector<std::string>{"fe80::1"});
}

TEST_CASE("a missing command-line option is named") {
    CHECK(holds(problemIn({}, {1, {}, {}, "a:1"}), "--world-size is missing, but --rank is given"));
    CHECK(holds(problemIn({}, {{}, 2, {}, "a:1"}), "--rank is missing, but --world-size is given"));
    CHECK(holds(problemIn({}, {1, 2, {}, ""}), "--master is missing"));
    CHECK(holds(problemIn({}, {1, 2, {}, "host"}), "without a port"));
    CHECK(holds(problemIn({}, {1, 2, {}, "host:0"}), "which is not a port"));
    CHECK(holds(problemIn({}, {2, 2, {}, "a:1"}), "the rank is 2 (by hand), but the 2 ranks are numbered from 0 to 1"));
}

TEST_CASE("with a launcher, --master only changes the rendezvous address") {
    const LaunchLayout layout = layoutIn(kOpenMpi, {{}, {}, {}, "n3:7000"});
    CHECK(layout.launcher == LauncherKind::kOpenMpi);
    CHECK(layout.rank == 5);
    CHECK(layout.masterHosts == std::vector<std::string>{"n3"});
    CHECK(layout.masterPort == 7000);
}

TEST_CASE("a RANK variable that contradicts the launcher is refused") {
    const auto conflict = [](const Variables& environment) {
        const auto problem = launchConflict(layoutIn(environment), {environment, {}, "here"});
        return problem ? problem->text() : "";
    };
    CHECK(holds(conflict(with(kOpenMpi, "RANK", "0")), "RANK is 0, but Open MPI reports 5"));
    CHECK(holds(conflict(with(kSlurm, "WORLD_SIZE", "9")), "WORLD_SIZE is 9, but Slurm reports 5"));
    CHECK(conflict(with(kOpenMpi, "RANK", "5")).empty());
}

TEST_CASE("Slurm's lists are expanded, and invalid lists give no hosts") {
    CHECK(expandHostList("gpu3") == std::vector<std::string>{"gpu3"});
    CHECK(expandHostList("n[08-10,12],x1") == std::vector<std::string>{"n08", "n09", "n10", "n12", "x1"});
    CHECK(expandHostList("r[1-2]-ib") == std::vector<std::string>{"r1-ib", "r2-ib"});
    CHECK(expandHostList("n[1-").empty());
    CHECK(expandHostList("n[1-999999999]").empty());
    CHECK(expandHostList("n[3-1]").empty());
    CHECK(expandTasksPerNode("2(x3),1") == std::vector<int>{2, 2, 2, 1});
    CHECK(expandTasksPerNode("4") == std::vector<int>{4});
    CHECK(expandTasksPerNode("2(x").empty());
    CHECK(expandTasksPerNode("2(x99999999)").empty());
}
