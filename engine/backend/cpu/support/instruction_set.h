// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace ringside::cpu {

// Returns the most capable instruction set that oneDNN may use in this process, under oneDNN's name in lower case
// ("avx2", "avx512_core_amx"): that of the CPU, or a lower one that ONEDNN_MAX_CPU_ISA names. "+prefer_ymm" follows
// where ONEDNN_CPU_ISA_HINTS says so.
std::string instructionSet();

}  // namespace ringside::cpu
