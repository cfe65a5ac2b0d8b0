// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "comm/mpi/mpi_table.h"

namespace ringside {

// The module beside this program, loaded now; throws CommError that says what is missing.
const MpiTable& loadMpi();

// Whether this process is a rank of a job that an MPI launcher has started.
bool isMpiJob();

}  // namespace ringside
