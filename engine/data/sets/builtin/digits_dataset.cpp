// SPDX-License-Identifier: Apache-2.0
#include "data/sets/builtin/digits_dataset.h"

#include <charconv>

#include "data/readers/gzip.h"

extern "C" {
extern const char ringsideDigitsBegin[];
extern const char ringsideDigitsEnd[];
}

namespace ringside {
namespace {

constexpr std::int64_t kImages = 1797;
constexpr std::int64_t kPixels = 64;
constexpr float kWhite = 16;
constexpr std::size_t kMaxBytes = 1U << 20;

// Parses all numbers. Each line has 64 pixels from 0 to 16, then the digit. The file is built in, so errors in it are
// assertion failures.
std::vector<int> readNumbers(std::string_view text) {
    std::vector<int> numbers;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at < end) {
        int number = 0;
        const auto [next, error] = std::from_chars(at, end, number);
        RINGSIDE_ASSERT(error == std::errc());
        numbers.push_back(number);
        at = next;
        while (at < end && (*at == ',' || *at == '\n' || *at == '\r')) ++at;
    }
    return numbers;
}

}  // namespace

std::string_view packedDigits() {
    return {ringsideDigitsBegin, static_cast<std::size_t>(ringsideDigitsEnd - ringsideDigitsBegin)};
}

SampleTable loadDigits() {
    const std::vector<int> numbers = readNumbers(gunzip(packedDigits(), "built-in digits", kMaxBytes).value());
    RINGSIDE_ASSERT(static_cast<std::int64_t>(numbers.size()) == kImages * (kPixels + 1));

    SampleTable table{.size = kImages, .shape = {.channels = 1, .height = 8, .width = 8, .features = kPixels}};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool isLabel = i % (kPixels + 1) == kPixels;
        if (isLabel) table.labels.push_back(numbers[i]);
        if (!isLabel) table.features.push_back(static_cast<float>(numbers[i]) / kWhite);
    }
    for (int digit = 0; digit < 10; ++digit) table.classNames.push_back(std::to_string(digit));
    return table;
}

}  // namespace ringside
