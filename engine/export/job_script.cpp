// SPDX-License-Identifier: Apache-2.0
#include "export/job_script.h"

#include <algorithm>
#include <cstdio>

#include "base/text/shell_word.h"

namespace ringside {
namespace {

constexpr const char* kExports =
    "# Secret of this job: it keeps other programs and other jobs out of the rendezvous.\n"
    "RINGSIDE_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \\n"
    "')\n"
    "export RINGSIDE_TOKEN\n";

// Numbers and names that all scripts contain.
struct Job {
    const JobRequest& request;
    std::string ranks, perNode, nodes, cpus, name, time;
    bool gpus = false;

    explicit Job(const JobRequest& from) : request(from) {
        const std::int64_t world = from.config.parallel.worldSize;
        ranks = std::to_string(world);
        nodes = std::to_string(from.nodes);
        perNode = std::to_string(world / from.nodes);
        // Number of CPUs for each rank: one for the computations and one for each of the rank's loader workers.
        cpus = std::to_string(1 + from.config.loader.numWorkers);
        gpus = from.config.parallel.device == DeviceChoice::kCuda;
        name = plainName(from.config.name);
        char text[32];
        std::snprintf(text, sizeof text, "%02lld:%02lld:00", static_cast<long long>(from.minutes / 60),
                      static_cast<long long>(from.minutes % 60));
        time = text;
    }

    static std::string plainName(const std::string& name) {
        std::string plain;
        for (const char c : name) {
            const bool fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
            plain += fine ? c : '-';
        }
        return plain.empty() ? "ringside" : plain;
    }

    // Returns "$WORKER CONFIG --set ... --out ...", without the options of a launcher.
    std::string command(const std::string& out, const std::string& more = "") const {
        std::string line = "\"$WORKER\"";
        if (!request.experiment.empty()) line += " " + shellWord(request.experiment.string());
        for (const std::string& one : request.assignments) line += " --set " + shellWord(one);
        return line + more + " --out \"" + out + "\" --resume auto";
    }

    std::string variables(const std::string& out) const {
        return "WORKER=" + shellWord(request.worker.string()) +
               "   # path of ringside-worker on the nodes\nOUT=" + out +
               "   # run directory, written by the host of rank 0; other hosts do not need it\n";
    }

    static std::string site() {
        return "# Commands that your site needs, for example:\n# module load cuda\n# source /path/to/environment\n\n";
    }
    std::string seed(const std::string& variable) const {
        return request.seeds > 1 ? " --set training.seed=\"$" + variable + "\"" : "";
    }
};

std::string head(const Job& job, const std::string& launcher, const std::string& use) {
    return "#!/bin/bash\n# " + job.name + " on " + job.ranks + " ranks with " + launcher +
           ", written by ringsidectl export.\n# " + use + "\n";
}

std::string slurmScript(const Job& job) {
    const bool array = job.request.seeds > 1;
    const std::string id = array ? "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}" : "$SLURM_JOB_ID";
    std::string s = head(job, "Slurm", "Submit it with: sbatch SCRIPT");
    s += "#SBATCH --job-name=" + job.name + "\n#SBATCH --nodes=" + job.nodes +
         "\n#SBATCH --ntasks-per-node=" + job.perNode +
         "          # one task per rank\n#SBATCH --cpus-per-task=" + job.cpus +
         "             # the rank and its loader.num_workers\n";
    if (job.gpus) s += "#SBATCH --gpus-per-task=1             # one GPU per rank\n";
    s += "#SBATCH --time=" + job.time + "\n#SBATCH --signal=B:USR1@" + std::to_string(kSaveSeconds) +
         "        # seconds before the limit: save and request a restart\n"
         "#SBATCH --requeue                     # allow restarts, also after a lost node\n"
         "#SBATCH --open-mode=append            # keep earlier output\n";
    if (array) {
        s += "#SBATCH --array=0-" + std::to_string(job.request.seeds - 1) +
             "                  # one run per training.seed\n#SBATCH --output=" + job.name + "-%A_%a.out\n";
    } else {
        s += "#SBATCH --output=" + job.name + "-%j.out\n";
    }
    s += "\n" + Job::site() + job.variables("$SLURM_SUBMIT_DIR/runs/" + job.name + "-" + id) + "\n" + kExports +
         "\n"
         "# srun starts the ranks; if one fails, all end (--kill-on-bad-exit). --resume auto continues from the last\n"
         "# checkpoint in the same run directory when Slurm restarts the job.\n"
         "# To stop and save: scancel JOB, or ringsidectl attach RUN --stop.\n"
         "srun --kill-on-bad-exit=1 " +
         job.command("$OUT", job.seed("SLURM_ARRAY_TASK_ID")) +
         " &\n"
         "STEP=$!\n"
         "LIMIT=no\n"
         "trap 'LIMIT=yes; kill -USR1 $STEP' USR1   # srun forwards it to the ranks: they save and exit with code 20\n"
         "wait $STEP; CODE=$?\n"
         "while kill -0 $STEP 2>/dev/null; do wait $STEP; CODE=$?; done   # a trapped signal ends wait early\n"
         "if [ $LIMIT = yes ] && [ $CODE -eq 20 ]; then\n"
         "  echo \"time limit near: saved, requesting a restart from Slurm\"\n"
         "  scontrol requeue \"$SLURM_JOB_ID\" && sleep 60   # Slurm ends this script; returning would end the job\n"
         "fi\n"
         "exit $CODE\n";
    return s;
}

// Shell functions of the PBS script that determine the exit code of the run. They read the code from summary.json,
// because the exit code of pbsdsh is useless: it is 0 for every exit code of the task, and 1 if SIGTERM arrives while
// the task still saves a checkpoint. isOver() ignores the summary.json of an earlier job in the same directory, which
// is older than the token file of this job.
constexpr const char* kPbsResult =
    "# pbsdsh does not return the code of its task, and ends at SIGTERM before the task does: the code is in the "
    "summary of\n"
    "# the run, which rank 0 writes on this node.\n"
    "isOver() { [ \"$OUT/summary.json\" -nt \"$TOKEN_FILE\" ]; }\n"
    "codeOf() { isOver && sed -n 's/.*\"exit_code\": *\\([0-9][0-9]*\\).*/\\1/p' \"$OUT/summary.json\" | head -n1; }\n";

std::string pbsResubmit(const Job& job, bool array) {
    const std::string names = array ? "OUT,SEED,RESTARTS" : "OUT,RESTARTS";
    const std::string restarts = std::to_string(job.request.config.parallel.maxRestarts);
    return "again() {\n"
           "  echo \"$1, submitting the job again\"\n"
           "  export OUT RESTARTS" +
           std::string(array ? " SEED" : "") + "\n  grep -v '^#PBS -J' \"$0\" | qsub -v " + names +
           "\n}\n"
           "case $CODE in\n"
           "  20) [ $LIMIT = yes ] && again \"time limit near: saved\" ;;\n"
           "  10|11|12|13)   # a rank was lost: the job is submitted again up to parallel.max_restarts times\n"
           "    [ $RESTARTS -lt " +
           restarts + " ] && RESTARTS=$((RESTARTS + 1)) && again \"failed (restart $RESTARTS of " + restarts +
           ")\" ;;\n"
           "esac\n"
           "exit $CODE\n";
}

std::string pbsScript(const Job& job) {
    const bool array = job.request.seeds > 1;
    std::string s = head(job, "PBS Pro or OpenPBS", "Submit it with: qsub SCRIPT");
    s += "# Each node has mpiprocs ranks, each with a line in the node file.\n"
         "# -r y: the job may run again after a node was lost." +
         std::string(array ? "\n# -J: a job array with one run for each training.seed.\n" : "\n") +
         "# The lines that begin with #PBS must have no comments.\n"
         "#PBS -N " +
         job.name.substr(0, 15) + "\n#PBS -l select=" + job.nodes + ":ncpus=" +
         std::to_string(job.request.config.parallel.worldSize / job.request.nodes *
                        (1 + job.request.config.loader.numWorkers)) +
         ":mpiprocs=" + job.perNode + (job.gpus ? ":ngpus=" + job.perNode : "") +
         (job.request.nodes > 1 ? "\n#PBS -l place=scatter" : "") + "\n#PBS -l walltime=" + job.time +
         "\n#PBS -r y\n#PBS -j oe\n";
    if (array) s += "#PBS -J 0-" + std::to_string(job.request.seeds - 1) + "\n";
    s +=
        "\n" + Job::site() + "cd \"$PBS_O_WORKDIR\" || exit 1\n" +
        job.variables("${OUT:-$PBS_O_WORKDIR/runs/" + job.name + "-${PBS_JOBID%%.*}}") +
        (array ? "SEED=${SEED:-$PBS_ARRAY_INDEX}\n" : "") +
        "RESTARTS=${RESTARTS:-0}\n"
        "PORT=$((20000 + 0x$(printf %s \"$PBS_JOBID\" | cksum | cut -c1-4 | sed 's/ /0/g') % 12000))\n"
        "MASTER=$(head -n1 \"$PBS_NODEFILE\"):$PORT\n"
        "RANKS=$(wc -l < \"$PBS_NODEFILE\")\n\n" +
        "# Secret of this job's ranks. pbsdsh passes no environment on, and all users can read command lines:\n"
        "# the secret is in a file that only you can read, in $PBS_O_WORKDIR, which the nodes share.\n"
        "TOKEN_FILE=$PBS_O_WORKDIR/.ringside-$PBS_JOBID\n"
        "trap 'rm -f \"$TOKEN_FILE\"; [ -n \"$ALARM\" ] && kill $ALARM 2>/dev/null' EXIT\n"
        "(umask 077; od -An -N16 -tx1 /dev/urandom | tr -d ' \\n"
        "' > \"$TOKEN_FILE\")\n"
        "\n"
        "# PBS does not number ranks: line r of the node file is rank r.\n"
        "for ((RANK = 0; RANK < RANKS; RANK++)); do\n"
        "  pbsdsh -n $RANK -- /bin/bash -c 'cd \"$1\" && RINGSIDE_TOKEN=$(cat \"$2\") && export RINGSIDE_TOKEN && "
        "shift 2 && exec \"$@\"' \\\n"
        "    ringside \"$PBS_O_WORKDIR\" \"$TOKEN_FILE\" " +
        job.command("$OUT", job.seed("SEED")) +
        " --rank $RANK --world-size $RANKS --master $MASTER &\n"
        "  PIDS[RANK]=$!\n"
        "done\n"
        "\n"
        "# Before the time limit the ranks save and exit with code 20, and the script submits itself again (qrerun is\n"
        "# for operators) to continue in the same directory.\n"
        "LIMIT=no\n"
        "trap 'LIMIT=yes; kill -TERM ${PIDS[0]}' USR1\n"
        "(trap 'kill $SLEEP 2>/dev/null; exit' TERM\n"
        " sleep " +
        std::to_string(std::max<std::int64_t>(job.request.minutes * 60 - kSaveSeconds, 30)) +
        " </dev/null >/dev/null 2>&1 & SLEEP=$!\n"
        " wait $SLEEP && kill -USR1 $$) &\n"
        "ALARM=$!\n" +
        kPbsResult +
        "wait ${PIDS[0]}; CODE=$?\n"
        "while kill -0 ${PIDS[0]} 2>/dev/null; do wait ${PIDS[0]}; CODE=$?; done\n"
        "if [ $LIMIT = yes ]; then   # pbsdsh is gone, the ranks may still save\n"
        "  for ((I = 0; I < " +
        std::to_string(kSaveSeconds - 10) +
        "; I++)); do isOver && break; sleep 1; done\n"
        "fi\n"
        "wait \"${PIDS[@]}\"\n"
        "RESULT=$(codeOf)\n"
        "if [ -n \"$RESULT\" ]; then CODE=$RESULT; elif [ $CODE -eq 0 ]; then CODE=1; fi   # a run without a summary "
        "has failed\n" +
        pbsResubmit(job, array);
    return s;
}

std::string torchrunScript(const Job& job) {
    return head(job, "torchrun",
                "Run it on every node: NODE_RANK=0 MASTER_ADDR=node1 bash SCRIPT, NODE_RANK=1 ... and so on") +
           "\n" + Job::site() +
           "MASTER_ADDR=${MASTER_ADDR:-127.0.0.1}   # address of the first node, reachable from the other nodes\n"
           "MASTER_PORT=${MASTER_PORT:-29500}       # port of torchrun; the ranks use a port derived from it\n"
           "NODE_RANK=${NODE_RANK:-0}\n" +
           job.variables("${OUT:-runs/" + job.name + "}") +
           "\n"
           "# --no_python: the ranks are programs, not scripts (this spelling also works before PyTorch 2.0). Set "
           "RINGSIDE_TOKEN\n"
           "# to the same secret on all nodes; without it the token is derived from torchrun's environment.\n"
           "# After a failure torchrun restarts all ranks, and --resume auto continues from the last checkpoint.\n"
           "# (With PyTorch 1.13 under Python 3.11 or newer, set TORCHRUN_OPTIONS='--redirects 2 --tee 2'.)\n"
           "exec torchrun $TORCHRUN_OPTIONS --no_python --nnodes " +
           job.nodes + " --node_rank \"$NODE_RANK\" --nproc_per_node " + job.perNode +
           " --max_restarts \"${MAX_RESTARTS:-3}\" \\\n"
           "  --master_addr \"$MASTER_ADDR\" --master_port \"$MASTER_PORT\" \\\n  " +
           job.command("$OUT") + "\n";
}

// End of the mpirun script: waits for mpirun, and forwards signals.
constexpr const char* kMpirunStop =
    "\n"
    "# After Ctrl+C or SIGTERM mpirun kills the ranks within a second. SIGUSR1 it only forwards: the ranks finish "
    "their "
    "step,\n"
    "# save the weights and exit with code 20. A second signal ends them at once.\n"
    "SIGNALS=0\n"
    "stop() {\n"
    "  SIGNALS=$((SIGNALS + 1))\n"
    "  if [ $SIGNALS -eq 1 ]; then kill -USR1 $MPIRUN; else kill -TERM $MPIRUN; fi\n"
    "}\n"
    "trap stop INT TERM HUP USR1\n"
    "while kill -0 $MPIRUN 2>/dev/null; do wait $MPIRUN; done   # a signal interrupts wait\n"
    "wait $MPIRUN\n";

std::string mpirunScript(const Job& job) {
    std::string hosts;
    for (const std::string& host : job.request.hosts) hosts += (hosts.empty() ? "" : ",") + host + ":" + job.perNode;
    return head(job, "mpirun (Open MPI)", "Run it on the first node: bash SCRIPT") + "\n" + Job::site() +
           job.variables("${OUT:-runs/" + job.name + "}") + kExports +
           "\n"
           "# Open MPI only starts the ranks; -x forwards the token. In a job of Slurm or PBS it finds the nodes "
           "itself.\n"
           "# set -m: mpirun gets a process group of its own, so that Ctrl+C reaches this script only.\n"
           "set -m\n"
           "mpirun $MPIRUN_OPTIONS -np " +
           job.ranks + (hosts.empty() ? "" : " --host " + shellWord(hosts)) + " -x RINGSIDE_TOKEN \\\n  " +
           job.command("$OUT") + " </dev/null &\nMPIRUN=$!\nset +m\n" + kMpirunStop;
}

std::string sshScript(const Job& job) {
    std::string hosts;
    for (const std::string& host : job.request.hosts) hosts += (hosts.empty() ? "" : ",") + host + ":" + job.perNode;
    std::string s =
        head(job, "ssh", "Run it on a computer from which ssh reaches all hosts without a password: bash SCRIPT");
    s += "\nHOSTS=${HOSTS:-" + shellWord(hosts.empty() ? "localhost:" + job.perNode : hosts) +
         "}   # HOST:RANKS; rank 0 runs on the first, which the other hosts must reach\n" +
         "RINGSIDECTL=${RINGSIDECTL:-" + shellWord((job.request.worker.parent_path() / "ringsidectl").string()) +
         "}\n" + "OUT=${OUT:-runs/" + job.name + "}\n" +
         "\n"
         "# ringsidectl starts ringside-worker on each host through ssh with a secret token, and ends all ranks when "
         "it\n"
         "# ends. The program and the experiment must have the same path on all hosts.\n"
         "exec \"$RINGSIDECTL\" run";
    if (!job.request.experiment.empty()) s += " " + shellWord(job.request.experiment.string());
    for (const std::string& one : job.request.assignments) s += " --set " + shellWord(one);
    return s + " --hosts \"$HOSTS\" --out \"$OUT\"\n";
}

}  // namespace

Result<std::string> jobScript(JobLauncher launcher, const JobRequest& request) {
    const std::int64_t world = request.config.parallel.worldSize;
    if (request.nodes < 1 || world % request.nodes != 0)
        return Problem{"--nodes",
                       "is " + std::to_string(request.nodes) + ", over which " + std::to_string(world) +
                           " ranks (parallel.world_size) cannot be spread evenly",
                       "choose a number that divides " + std::to_string(world)};
    const bool arrays = launcher == JobLauncher::kSlurm || launcher == JobLauncher::kPbs;
    if (request.seeds != 1 && !arrays)
        return Problem{"--seeds", "needs a job array, which " + textOf(launcher) + " does not have",
                       "export for slurm or pbs, or run the script once for each seed"};
    if (request.seeds < 1 || request.minutes < 1)
        return Problem{request.seeds < 1 ? "--seeds" : "--time", "is below 1", "enter at least 1"};
    const Job job(request);
    switch (launcher) {
        case JobLauncher::kSlurm:
            return slurmScript(job);
        case JobLauncher::kPbs:
            return pbsScript(job);
        case JobLauncher::kTorchrun:
            return torchrunScript(job);
        case JobLauncher::kMpirun:
            return mpirunScript(job);
        case JobLauncher::kSsh:
            break;
    }
    return sshScript(job);
}

}  // namespace ringside
