// SPDX-License-Identifier: Apache-2.0
#include "export/job_script.h"

#include <cstdio>
#include <fstream>

#include "support/catch.h"
#include "support/temporary_directory.h"

using namespace ringside;

namespace {

JobRequest requestOf(std::int64_t ranks, std::int64_t nodes) {
    JobRequest request;
    request.config.name = "my net & I";
    request.config.parallel.worldSize = ranks;
    request.experiment = "/data/it's mine.json";
    request.assignments = {"optimizer.lr=0.05"};
    request.worker = "/opt/ringside/bin/ringside-worker";
    request.nodes = nodes;
    return request;
}

std::string scriptFor(std::string_view launcher, const JobRequest& request) {
    const Result<std::string> script = jobScript(*choiceNamed<JobLauncher>(launcher), request);
    REQUIRE(script.ok());
    return script.value();
}

bool scriptHas(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool bashReads(const std::string& script) {
    const TemporaryDirectory scratch;
    const auto file = scratch.path() / "job.sh";
    std::ofstream(file) << script;
    return std::system(("bash -n " + file.string()).c_str()) == 0;
}

}  // namespace

TEST_CASE("every job script is valid bash and contains the experiment with its changes") {
    for (const std::string launcher : {"slurm", "pbs", "torchrun", "mpirun", "ssh"}) {
        INFO(launcher);
        const std::string script = scriptFor(launcher, requestOf(8, 2));
        CHECK(bashReads(script));
        CHECK(script.starts_with("#!/bin/bash\n# my-net---I on 8 ranks with "));
        CHECK(scriptHas(script, "'/data/it'\\''s mine.json' --set optimizer.lr=0.05"));
    }
}

TEST_CASE("a Slurm script requests a task per rank, saves before its limit and requeues itself") {
    JobRequest request = requestOf(8, 2);
    request.config.loader.numWorkers = 3;
    request.minutes = 90;
    const std::string script = scriptFor("slurm", request);
    CHECK(scriptHas(script, "#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4 "));
    CHECK(scriptHas(script, "#SBATCH --cpus-per-task=4 "));
    CHECK(scriptHas(script, "#SBATCH --time=01:30:00\n#SBATCH --signal=B:USR1@120 "));
    CHECK(scriptHas(script, "scontrol requeue \"$SLURM_JOB_ID\""));
    CHECK(scriptHas(script, "--resume auto"));
    CHECK_FALSE(scriptHas(script, "--gpus-per-task"));
    CHECK_FALSE(scriptHas(script, "--array"));
    request.config.parallel.device = DeviceChoice::kCuda;
    request.seeds = 5;
    const std::string array = scriptFor("slurm", request);
    CHECK(scriptHas(array, "#SBATCH --gpus-per-task=1 "));
    CHECK(scriptHas(array, "#SBATCH --array=0-4 "));
    CHECK(scriptHas(array, "--set training.seed=\"$SLURM_ARRAY_TASK_ID\""));
}

TEST_CASE("a PBS script submits itself again, a job of an array as a separate job") {
    JobRequest request = requestOf(8, 2);
    CHECK(scriptHas(scriptFor("pbs", request),
                    "\n  export OUT RESTARTS\n  grep -v '^#PBS -J' \"$0\" | qsub -v OUT,RESTARTS\n}\n"));
    CHECK(scriptHas(scriptFor("pbs", request), "\n#PBS -l place=scatter\n"));
    request.seeds = 5;
    const std::string array = scriptFor("pbs", request);
    CHECK(scriptHas(array, "\n#PBS -J 0-4\n"));
    CHECK(scriptHas(array, "\nSEED=${SEED:-$PBS_ARRAY_INDEX}\n"));
    CHECK(scriptHas(array, "--set training.seed=\"$SEED\""));
    CHECK(scriptHas(array, "| qsub -v OUT,SEED,RESTARTS\n"));
}

TEST_CASE("torchrun and mpirun receive the number of ranks and the hosts") {
    JobRequest request = requestOf(6, 3);
    request.hosts = {"a", "b", "c"};
    CHECK(scriptHas(scriptFor("torchrun", request), "--nnodes 3 --node_rank \"$NODE_RANK\" --nproc_per_node 2 "));
    CHECK(scriptHas(scriptFor("mpirun", request), "-np 6 --host a:2,b:2,c:2 -x RINGSIDE_TOKEN"));
    CHECK(scriptHas(scriptFor("ssh", request), "HOSTS=${HOSTS:-a:2,b:2,c:2}"));
}

TEST_CASE("ranks that do not divide over the nodes, and arrays where there are none, are refused") {
    CHECK(scriptHas(jobScript(JobLauncher::kSlurm, requestOf(8, 3)).problem().text(),
                    "--nodes is 3, over which 8 ranks"));
    JobRequest request = requestOf(8, 2);
    request.seeds = 2;
    CHECK(scriptHas(jobScript(JobLauncher::kSsh, request).problem().text(),
                    "--seeds needs a job array, which ssh does not have"));
}

TEST_CASE("the head of each script names the job, its ranks and how it is started") {
    const auto headOf = [](std::string_view launcher) {
        const std::string script = scriptFor(launcher, requestOf(8, 2));
        return script.substr(0, script.find('\n', script.find("\n# ", 13) + 1));
    };
    CHECK(headOf("slurm") ==
          "#!/bin/bash\n# my-net---I on 8 ranks with Slurm, written by ringsidectl export.\n# Submit it with: sbatch "
          "SCRIPT");
    CHECK_THAT(headOf("pbs"), containing("with PBS Pro or OpenPBS, written by ringsidectl export.\n# Submit it with: "
                                         "qsub SCRIPT"));
    JobRequest request = requestOf(2, 1);
    request.config.name = "Az09-_z{[@`:/";
    CHECK(scriptHas(scriptFor("ssh", request), "\n# Az09--z------ on 2 ranks with ssh"));
    request.config.name = "";
    CHECK(scriptHas(scriptFor("ssh", request), "\n# ringside on 2 ranks with ssh"));
}

TEST_CASE("a job of one run on one node has neither an array nor several nodes") {
    JobRequest request = requestOf(4, 1);
    request.minutes = 61;
    const std::string slurm = scriptFor("slurm", request);
    CHECK(scriptHas(slurm, "#SBATCH --nodes=1\n#SBATCH --ntasks-per-node=4 "));
    CHECK(scriptHas(slurm, "#SBATCH --cpus-per-task=1 "));
    CHECK(scriptHas(slurm, "#SBATCH --time=01:01:00\n"));
    CHECK(scriptHas(slurm, "#SBATCH --output=my-net---I-%j.out\n"));
    CHECK(scriptHas(slurm, "OUT=$SLURM_SUBMIT_DIR/runs/my-net---I-$SLURM_JOB_ID "));
    CHECK_FALSE(scriptHas(slurm, "training.seed=\""));
    const std::string pbs = scriptFor("pbs", request);
    CHECK(scriptHas(pbs, "\n#PBS -l select=1:ncpus=4:mpiprocs=4\n#PBS -l walltime=01:01:00\n#PBS -r y\n"));
    CHECK_FALSE(scriptHas(pbs, "\n#PBS -J"));
    CHECK_FALSE(scriptHas(pbs, "SEED"));
    CHECK(scriptHas(pbs, "\n sleep 3540 <"));  // two minutes before the limit
    CHECK(scriptHas(pbs, "for ((I = 0; I < 110; I++))"));
    request.minutes = 2;
    CHECK(scriptHas(scriptFor("pbs", request), "\n sleep 30 <"));
    request.minutes = 1;
    CHECK(scriptHas(scriptFor("slurm", request), "#SBATCH --time=00:01:00\n"));
}

TEST_CASE("arrays, GPUs and loader workers are requested for each node and rank") {
    JobRequest request = requestOf(8, 2);
    request.config.loader.numWorkers = 2;
    request.config.parallel.device = DeviceChoice::kCuda;
    request.config.parallel.maxRestarts = 3;
    request.seeds = 2;
    const std::string pbs = scriptFor("pbs", request);
    CHECK(
        scriptHas(pbs, "\n#PBS -N my-net---I\n#PBS -l select=2:ncpus=12:mpiprocs=4:ngpus=4\n#PBS -l place=scatter\n"));
    CHECK(scriptHas(pbs, "\n#PBS -J 0-1\n"));
    CHECK(scriptHas(pbs, "  export OUT RESTARTS SEED\n"));
    CHECK(scriptHas(
        pbs, "    [ $RESTARTS -lt 3 ] && RESTARTS=$((RESTARTS + 1)) && again \"failed (restart $RESTARTS of 3)\""));
    const std::string slurm = scriptFor("slurm", request);
    CHECK(scriptHas(slurm, "#SBATCH --array=0-1 "));
    CHECK(scriptHas(slurm, "#SBATCH --output=my-net---I-%A_%a.out\n"));
    CHECK(scriptHas(slurm, "-${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID} "));
    CHECK(scriptHas(slurm, "#SBATCH --cpus-per-task=3 "));
    request.config.name = "a-name-of-more-than-fifteen-letters";
    CHECK(scriptHas(scriptFor("pbs", request), "\n#PBS -N a-name-of-more-\n"));  // 15 characters
}

TEST_CASE("a script without hosts or an experiment starts the built-in experiment where it runs") {
    JobRequest request = requestOf(2, 1);
    request.experiment.clear();
    request.assignments.clear();
    CHECK(scriptHas(scriptFor("ssh", request), "HOSTS=${HOSTS:-localhost:2}"));
    CHECK(scriptHas(scriptFor("ssh", request), "\nexec \"$RINGSIDECTL\" run --hosts \"$HOSTS\" --out \"$OUT\"\n"));
    CHECK(scriptHas(scriptFor("ssh", request), "RINGSIDECTL=${RINGSIDECTL:-/opt/ringside/bin/ringsidectl}\n"));
    CHECK(scriptHas(scriptFor("mpirun", request), " -np 2 -x RINGSIDE_TOKEN \\\n  \"$WORKER\" --out \"$OUT\" "));
    CHECK(scriptHas(scriptFor("torchrun", request), "--nnodes 1 --node_rank \"$NODE_RANK\" --nproc_per_node 2 "));
    CHECK(scriptHas(scriptFor("torchrun", request), "\nWORKER=/opt/ringside/bin/ringside-worker "));
    request.hosts = {"only"};
    CHECK(scriptHas(scriptFor("mpirun", request), " --host only:2 "));
}

TEST_CASE("numbers below one and uneven nodes are refused") {
    JobRequest request = requestOf(8, 0);
    CHECK(
        jobScript(JobLauncher::kSlurm, request).problem().text() ==
        "--nodes is 0, over which 8 ranks (parallel.world_size) cannot be spread evenly: choose a number that divides "
        "8");
    request.nodes = 8;
    CHECK(jobScript(JobLauncher::kSlurm, request).ok());
    request.seeds = 0;
    CHECK(jobScript(JobLauncher::kSlurm, request).problem().text() == "--seeds is below 1: enter at least 1");
    CHECK_FALSE(jobScript(JobLauncher::kTorchrun, request).ok());
    request.seeds = 1;
    CHECK(jobScript(JobLauncher::kTorchrun, request).ok());
    request.minutes = 0;
    CHECK(jobScript(JobLauncher::kPbs, request).problem().text() == "--time is below 1: enter at least 1");
    request.minutes = 1;
    request.seeds = 2;
    CHECK(jobScript(JobLauncher::kPbs, request).ok());
    CHECK_FALSE(jobScript(JobLauncher::kMpirun, request).ok());
}

TEST_CASE("a time limit is written in hours and minutes") {
    JobRequest request = requestOf(2, 1);
    for (const auto& [minutes, text] :
         {std::pair{59, "00:59:00"}, {60, "01:00:00"}, {119, "01:59:00"}, {120, "02:00:00"}, {6000, "100:00:00"}}) {
        request.minutes = minutes;
        CHECK(scriptHas(scriptFor("slurm", request), std::string("#SBATCH --time=") + text + "\n"));
    }
}
