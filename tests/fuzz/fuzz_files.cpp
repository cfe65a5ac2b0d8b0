// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdint>

#include "fuzz_targets.h"
#include "reader_targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ringside::fuzz::RINGSIDE_FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
    return 0;
}
