// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/errors/result.h"
#include "launch/layout/launch_layout.h"

namespace ringside {

// Command line of a worker that a launcher or a user starts:
//   ringside-worker CONFIG [--out DIR] [--set A.B=VALUE]... [--resume PATH] [--wait SECONDS]
//                   [--rank R --world-size W --master HOST:PORT] [--local-rank L] [--name NAME]
struct LaunchArguments {
    std::string config;
    std::string out;
    std::string resume;
    std::string name;  // displayed name of the rank; empty: the host's name
    std::vector<std::string> assignments;
    std::chrono::milliseconds wait{120000};
    int restart = 0;  // number of earlier starts of this run by the program that starts the ranks
    LaunchOptions layout;
    bool help = false;
};

inline constexpr const char* kLaunchUsage =
    "usage: ringside-worker CONFIG [--out DIR] [--set A.B=VALUE]... [--resume PATH] [--wait SECONDS]\n"
    "                       [--rank R --world-size W --master HOST:PORT] [--local-rank L] [--name NAME]\n"
    "\n"
    "Runs one rank of a run. A launcher such as torchrun, srun or mpirun starts all ranks. To start the ranks without\n"
    "a launcher, give each rank --rank, --world-size and --master. Examples with a launcher:\n"
    "  torchrun --no-python --nnodes 2 --nproc-per-node 4 ... ringside-worker my.json --out runs/x\n"
    "  srun -N2 --ntasks-per-node=4 ringside-worker my.json --out runs/x\n"
    "  mpirun -np 8 ringside-worker my.json --out runs/x\n"
    "Rank 0 writes the run directory. On one computer, ringsidectl run needs no launcher.";

Result<LaunchArguments> parseLaunchArguments(int argc, const char* const* argv);

}  // namespace ringside
