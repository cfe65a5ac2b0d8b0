// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/kernels/half_math.h"

#include <bit>
#include <cmath>
#include <limits>

#include "support/catch.h"

using namespace ringside::cuda;

namespace {

struct Golden {
    std::uint32_t float32;
    std::uint16_t bfloat16;
    std::uint16_t float16;
};

// Bits of torch.tensor(x).to(torch.bfloat16) and .to(torch.float16) of PyTorch 1.13: signs, ties, subnormal numbers,
// the largest finite number and larger ones.
constexpr Golden kGoldens[] = {
    {0x00000000U, 0x0000, 0x0000}, {0x80000000U, 0x8000, 0x8000}, {0x3f800000U, 0x3f80, 0x3c00},
    {0xbfc00000U, 0xbfc0, 0xbe00}, {0x40490fdbU, 0x4049, 0x4248}, {0x322bcc77U, 0x322c, 0x0000},
    {0x3380d959U, 0x3381, 0x0001}, {0x33000000U, 0x3300, 0x0000}, {0x33000001U, 0x3300, 0x0001},
    {0x33c00000U, 0x33c0, 0x0002}, {0x3727c5acU, 0x3728, 0x00a8}, {0x387fda40U, 0x3880, 0x03ff},
    {0x387fc000U, 0x3880, 0x03ff}, {0x38800000U, 0x3880, 0x0400}, {0x3dcccccdU, 0x3dcd, 0x2e66},
    {0x3f801000U, 0x3f80, 0x3c00}, {0x3f803000U, 0x3f80, 0x3c02}, {0x477fe000U, 0x4780, 0x7bff},
    {0x477fef00U, 0x4780, 0x7bff}, {0x477ff000U, 0x4780, 0x7c00}, {0x4788b800U, 0x4789, 0x7c00},
    {0x7e967699U, 0x7e96, 0x7c00}, {0x7f7fc99eU, 0x7f80, 0x7c00}, {0x7f800000U, 0x7f80, 0x7c00},
    {0xff800000U, 0xff80, 0xfc00}, {0x3f808000U, 0x3f80, 0x3c04}, {0x3f818000U, 0x3f82, 0x3c0c},
    {0xbeaaaaabU, 0xbeab, 0xb555},
};

}  // namespace

TEST_CASE("float32 becomes bfloat16 and float16 as in PyTorch, to the bit") {
    for (const Golden& golden : kGoldens) {
        INFO("float32 bits " << std::hex << golden.float32);
        CHECK(Bfloat16::narrow(std::bit_cast<float>(golden.float32)) == golden.bfloat16);
        CHECK(Float16::narrow(std::bit_cast<float>(golden.float32)) == golden.float16);
    }
}

TEST_CASE("every 16-bit number converted to float32 and back is unchanged, and NaN stays NaN") {
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
        const auto value = static_cast<std::uint16_t>(bits);
        const float half = Float16::widen(value);
        const float brain = Bfloat16::widen(value);
        if (std::isnan(half) ? !std::isnan(Float16::widen(Float16::narrow(half))) : Float16::narrow(half) != value)
            FAIL_CHECK("float16 " << bits);
        if (std::isnan(brain) ? !std::isnan(Bfloat16::widen(Bfloat16::narrow(brain)))
                              : Bfloat16::narrow(brain) != value)
            FAIL_CHECK("bfloat16 " << bits);
    }
    CHECK(Float16::widen(0x3c00) == 1);
    CHECK(Float16::widen(0x0001) == std::ldexp(1.0F, -24));
    CHECK(Float16::widen(0xfbff) == -65504);
    CHECK(Bfloat16::widen(0x3f80) == 1);
}
