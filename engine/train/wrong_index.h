// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace ringside {

// A test's way to make one rank train another sample than the plan says, to prove that this is noticed. Only an
// environment variable reaches it, never an experiment.
struct WrongIndex {
    int rank = 0;
    std::int64_t epoch = 0;
    std::int64_t slot = 0;
    std::int64_t sample = 0;  // trained there instead

    // Changes the index of its slot where the batch, whose first slot is given, holds it.
    void apply(std::int64_t ofEpoch, std::int64_t firstSlot, std::span<std::int64_t> indices) const;
};

inline constexpr const char* kWrongIndexVariable = "RINGSIDE_TEST_WRONG_INDEX";  // rank:epoch:slot:sample

// Nothing for any other text.
std::optional<WrongIndex> parseWrongIndex(const std::string& text);

// What the variable says for this rank; nothing where it is not set.
std::optional<WrongIndex> wrongIndexFromEnvironment(int rank);

}  // namespace ringside
