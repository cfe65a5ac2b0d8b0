// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside::cpu {

// Returns the highest instruction set that oneDNN may use in this process, by oneDNN's name in lower case ("avx2",
// "avx512_core_amx"). The environment variable ONEDNN_MAX_CPU_ISA can lower it. "+prefer_ymm" is appended if
// ONEDNN_CPU_ISA_HINTS requests it.
std::string instructionSet();

}  // namespace ringside::cpu
