// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside {

// Program, or way, by which the ranks of a run are started.
enum class LauncherKind : std::uint8_t {
    kTorchrun,
    kEnvironment,  // any launcher that sets RANK and WORLD_SIZE, which torch.distributed reads with env://
    kOpenMpi,
    kPmi,  // MPICH or Intel MPI
    kPmix,
    kSlurm,
    kPbs,
    kByHand,  // no launcher: the user gives --rank and --world-size to each process
    kAlone,   // no launcher: a single rank
    kClassroom
};

// Returns the name for logs, messages and launch.json.
inline std::string textOf(LauncherKind kind) {
    constexpr std::array<std::string_view, 10> kNames{"torchrun", "env://", "Open MPI", "PMI",   "PMIx",
                                                      "Slurm",    "PBS",    "by hand",  "alone", "a classroom"};
    return std::string(kNames[static_cast<std::size_t>(kind)]);
}

}  // namespace ringside
