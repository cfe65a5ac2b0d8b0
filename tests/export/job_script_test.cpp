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

TEST_CASE("Ranks that do not divide over the nodes, and arrays where there are none, are refused") {
    CHECK(scriptHas(jobScript(JobLauncher::kSlurm, requestOf(8, 3)).problem().text(),
                    "--nodes is 3, over which 8 ranks"));
    JobRequest request = requestOf(8, 2);
    request.seeds = 2;
    CHECK(scriptHas(jobScript(JobLauncher::kSsh, request).problem().text(),
                    "--seeds needs a job array, which ssh does not have"));
}
