// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "comm/mpi/mpi_table.h"

namespace ringside {

// Loads the MPI module of this program on the first call and returns its functions. Throws a CommError that states the
// missing program or library.
const MpiTable& loadMpi();

// True if an MPI launcher has started this process.
bool isMpiJob();

}  // namespace ringside
