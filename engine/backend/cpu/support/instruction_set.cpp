// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/support/instruction_set.h"

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.h>

#include <array>
#include <cstdint>
#include <utility>

namespace ringside::cpu {
namespace {

// Values of dnnl_cpu_isa_t with their names. Numbers are used because not every version of oneDNN declares all names.
constexpr std::array<std::pair<std::uint32_t, const char*>, 13> kNames{{
    {0x1, "sse41"},
    {0x3, "avx"},
    {0x7, "avx2"},
    {0x407, "avx2_vnni"},
    {0xc07, "avx2_vnni_2"},
    {0xf, "avx512_mic"},
    {0x1f, "avx512_mic_4ops"},
    {0x27, "avx512_core"},
    {0x67, "avx512_core_vnni"},
    {0xe7, "avx512_core_bf16"},
    {0x1ef, "avx512_core_fp16"},
    {0x3e7, "avx512_core_amx"},
    {0xfef, "avx512_core_amx"},
}};

std::string nameOf(std::uint32_t isa) {
    for (const auto& [value, name] : kNames)
        if (value == isa) return name;
    return fmt::format("isa_0x{:x}", isa);
}

}  // namespace

std::string instructionSet() {
    const auto isa = static_cast<std::uint32_t>(dnnl_get_effective_cpu_isa());
    const bool hinted = dnnl_get_cpu_isa_hints() != dnnl_cpu_isa_no_hints;
    return nameOf(isa) + (hinted ? "+prefer_ymm" : "");
}

}  // namespace ringside::cpu
