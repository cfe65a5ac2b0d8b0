// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "data/sets/common/array_dataset.h"
#include "data/sets/synthetic/synthetic_shapes.h"
#include "sampling/random/torch_random.h"

namespace ringside {
namespace {

constexpr std::int64_t kFullClass = 1300;
constexpr std::int64_t kSmallestClass = 732;
constexpr std::int64_t kShortClasses = 105;
constexpr std::int64_t kValidationPerClass = 50;
constexpr std::int64_t kDefaultSide = 32;
// Largest side in pixels for which isLazy() is false: computing such an image takes about ten microseconds.
constexpr std::int64_t kQuickSide = 64;

// Random numbers of one sample, by SplitMix64 (Steele, Lea, Flood 2014). Each sample has its own stream, so that it can
// be computed without the other samples.
class SampleRandom {
  public:
    explicit SampleRandom(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next() {
        m_state += 0x9E3779B97F4A7C15U;
        std::uint64_t z = m_state;
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9U;
        z = (z ^ z >> 27) * 0x94D049BB133111EBU;
        return z ^ z >> 31;
    }

  private:
    std::uint64_t m_state;
};

// Returns a triangle wave of period 256 between -64 and 64, in integers so that all computers compute the same image.
int triangle(std::uint64_t phase) {
    const int place = static_cast<int>(phase & 255U);
    return place < 128 ? place - 64 : 192 - place;
}

// Computes one channel of an image: horizontal and vertical stripes. Their widths depend on the class; their shifts and
// the noise depend on the sample.
void paint(std::span<float> plane, std::size_t side, std::uint64_t ofClass, SampleRandom& random) {
    const std::uint64_t shift = random.next();
    const int bright = 96 + static_cast<int>(ofClass >> 58);
    std::uint64_t noise = 0;
    for (std::size_t y = 0; y < side; ++y) {
        const int row = triangle(y * (4 + (ofClass & 31U)) + (shift & 31U));
        for (std::size_t x = 0; x < side; ++x) {
            const int column = triangle(x * (4 + (ofClass >> 5 & 31U)) + (shift >> 5 & 31U));
            noise = x % 8 == 0 ? random.next() : noise >> 8;
            const int value = bright + (row + column) / 2 + static_cast<int>(noise & 63U) - 32;
            plane[y * side + x] = pixelValue(static_cast<std::uint8_t>(std::clamp(value, 0, 255)));
        }
    }
}

class ImagenetShaped final : public Dataset {
  public:
    // `part` distinguishes training samples (0) from validation samples (1).
    ImagenetShaped(std::uint64_t seed, std::uint64_t part, std::int64_t side, const std::vector<std::int64_t>& sizes)
        : m_seed(seed), m_part(part), m_side(side) {
        std::int64_t end = 0;
        for (const std::int64_t size : sizes) m_ends.push_back(end += size);
    }

    std::int64_t size() const override { return m_ends.back(); }
    SampleShape shape() const override { return {3, m_side, m_side, 3 * m_side * m_side}; }
    std::int64_t classCount() const override { return static_cast<std::int64_t>(m_ends.size()); }
    std::int64_t targetCount() const override { return 0; }
    bool isLazy() const override { return m_side > kQuickSide; }
    std::int64_t label(std::int64_t index) const override {
        RINGSIDE_ASSERT(index >= 0 && index < size());
        return std::ranges::upper_bound(m_ends, index) - m_ends.begin();
    }
    void targets(std::int64_t, std::span<float>) const override { RINGSIDE_ASSERT(targetCount() > 0); }

    void features(std::int64_t index, std::span<float> out) const override {
        const auto side = static_cast<std::size_t>(m_side);
        RINGSIDE_ASSERT(out.size() == 3 * side * side);
        SampleRandom ofClass(SampleRandom(m_seed).next() + static_cast<std::uint64_t>(label(index)));
        SampleRandom ofSample(SampleRandom(m_seed + 1 + m_part).next() + static_cast<std::uint64_t>(index));
        for (std::size_t channel = 0; channel < 3; ++channel) {
            paint(out.subspan(channel * side * side, side * side), side, ofClass.next(), ofSample);
        }
    }

  private:
    std::uint64_t m_seed;
    std::uint64_t m_part;
    std::int64_t m_side;
    std::vector<std::int64_t> m_ends;  // one past the last sample of each class
};

}  // namespace

std::vector<std::int64_t> imagenetClassSizes(std::int64_t seed) {
    std::vector<std::int64_t> sizes(kImagenetClasses, kFullClass);
    const std::vector<std::uint32_t> order = TorchGenerator(seed).randperm(kImagenetClasses);
    // Class sizes rise from 732 in steps of 9 to at most 1,299. Their sum is slightly larger than the number of
    // training samples; the surplus is taken from the larger half of these classes.
    for (std::int64_t j = 0; j < kShortClasses; ++j) {
        sizes[order[static_cast<std::size_t>(j)]] = std::min(kSmallestClass + 9 * j, kFullClass - 1);
    }
    std::int64_t surplus = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) - kImagenetTraining;
    for (std::int64_t j = kShortClasses - 1; surplus > 0; --surplus) {
        --sizes[order[static_cast<std::size_t>(j)]];
        j = j == kShortClasses / 2 ? kShortClasses - 1 : j - 1;
    }
    return sizes;
}

DataParts makeImagenetShaped(std::int64_t seed, std::int64_t imageSize) {
    const std::int64_t side = imageSize > 0 ? imageSize : kDefaultSide;
    const auto bits = static_cast<std::uint64_t>(seed);
    const std::vector<std::int64_t> validation(kImagenetClasses, kValidationPerClass);
    return {std::make_shared<ImagenetShaped>(bits, 0, side, imagenetClassSizes(seed)),
            std::make_shared<ImagenetShaped>(bits, 1, side, validation)};
}

}  // namespace ringside
