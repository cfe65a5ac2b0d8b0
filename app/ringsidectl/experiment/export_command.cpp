// SPDX-License-Identifier: Apache-2.0
#include "experiment/export_command.h"

#include <iostream>
#include <memory>

#include "base/system/files.h"
#include "experiment/experiment_file.h"
#include "experiment/job_export.h"
#include "export/chrome_trace.h"
#include "export/pytorch/pytorch_script.h"
#include "run/read/read_traces.h"

namespace ringside {
namespace {

constexpr const char* kExportFooter =
    "CONFIG is an experiment file (JSON), - for standard input, or nothing for the built-in experiment.\n"
    "pytorch: one script for plain PyTorch (DistributedDataParallel, fully_shard, torch.distributed.pipelining, ...) "
    "that\n"
    "assigns the same samples to every rank, starts from the same weights and writes metrics.jsonl in the same form.\n"
    "The built-in digits are written to the same folder.\n"
    "trace: the traced steps of a run, for Perfetto and other readers of Chrome's trace format.\n"
    "slurm, pbs, torchrun, mpirun, ssh: a script that starts the ranks there, with comments that explain each line. "
    "Under\n"
    "Slurm and PBS the job saves before its time limit and requests a restart (docs/launchers.md).\n"
    "\n"
    "Examples:\n"
    "  ringsidectl export -o train.py\n"
    "  ringsidectl export my.json --to pytorch -o train.py --set parallel.world_size=2\n"
    "  python3 train.py --out runs/pytorch\n"
    "  ringsidectl export runs/mine --to trace -o trace.json\n"
    "  ringsidectl export my.json --to slurm --nodes 2 --minutes 90 --seeds 5 -o job.sh\n"
    "  ringsidectl compare runs/mine runs/pytorch           compares both runs step by step";

struct ExportArguments {
    std::string config;
    std::vector<std::string> assignments;
    std::string format = "pytorch";
    std::string out;
    JobShape job;
};

int exportTrace(const ExportArguments& arguments) {
    const Result<RunPaths> paths = openRunDirectory(arguments.config);
    if (!paths) return reportProblems({paths.problem()});
    const Result<RecordedTraces> traces = readTraces(paths.value());
    if (!traces) return reportProblems({traces.problem()});
    writeFileAtomically(arguments.out, chromeTrace(traces.value().data, paths.value().directory.filename().string()));
    std::cout << "trace: " << arguments.out << ", " << traces.value().data.steps().size()
              << " steps\nopen it in https://ui.perfetto.dev\n";
    return 0;
}

int runExport(const ExportArguments& arguments) {
    if (arguments.out == "-")
        return reportProblems(
            {{"--out", "is -, but the export needs a file name, because data files are written beside it",
              "name a file, such as train.py"}});
    if (arguments.format == "trace") return exportTrace(arguments);
    Problems problems;
    const Result<Experiment> experiment = loadExperiment(arguments.config, arguments.assignments, problems);
    if (!experiment) return reportProblems(problems);
    const std::filesystem::path out(arguments.out);
    if (const auto launcher = choiceNamed<JobLauncher>(arguments.format))
        return exportJob(*launcher, arguments.config, arguments.assignments, experiment.value().config, arguments.job,
                         out);
    const Result<PytorchScript> script =
        exportPytorch(experiment.value().config, experiment.value().baseDirectory, out.filename().string(), &problems);
    if (!script) return reportProblems(problems.empty() ? Problems{script.problem()} : problems);
    writePytorch(script.value(), out);
    if (!script.value().dataName.empty())
        std::cout << "data: " << (out.parent_path() / script.value().dataName).string() << '\n';
    if (!script.value().note.empty()) std::cout << "note: " << script.value().note << '\n';
    std::cout << "script: " << out.string() << "\nrun it: python3 " << out.string() << " --out DIR\n";
    return 0;
}

}  // namespace

void addExportCommand(CLI::App& app, std::function<int()>& action) {
    CLI::App* command = app.add_subcommand(
        "export",
        "Exports an experiment as a script for plain PyTorch or a cluster, or the timeline of a run for Perfetto");
    command->footer(kExportFooter);
    auto arguments = std::make_shared<ExportArguments>();
    command->add_option("CONFIG", arguments->config, "Experiment file; for a trace: run directory");
    command
        ->add_option("--to", arguments->format, "Format: pytorch, slurm, pbs, torchrun, mpirun or ssh; trace for a run")
        ->check(CLI::IsMember({"pytorch", "slurm", "pbs", "torchrun", "mpirun", "ssh", "trace"}))
        ->type_name("FORMAT");
    command->add_option("-o,--output,--out", arguments->out, "Output file")->type_name("FILE")->required();
    command
        ->add_option("--set", arguments->assignments, "Change one field, as in --set loader.batch_size=64; repeatable")
        ->type_name("PATH=VALUE")
        ->expected(1)
        ->take_all();
    command->add_option("--nodes", arguments->job.nodes, "Job scripts: number of nodes (default: 1)")->type_name("N");
    command->add_option("--minutes", arguments->job.minutes, "Job scripts: time limit in minutes (default: 60)")
        ->type_name("N");
    command
        ->add_option("--seeds", arguments->job.seeds,
                     "slurm, pbs: number of runs, as a job array with training.seed 0, 1, ...")
        ->type_name("N");
    command
        ->add_option("--host", arguments->job.hosts,
                     "mpirun, ssh: one host per node, the host of rank 0 first; repeatable")
        ->take_all()
        ->allow_extra_args(false)
        ->type_name("NAME");
    command->callback([arguments, &action] { action = [arguments] { return runExport(*arguments); }; });
}

}  // namespace ringside
