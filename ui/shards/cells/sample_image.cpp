// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cells/sample_image.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/errors/errors.h"
#include "shards/cells/cell_colors.h"

namespace ringside {
namespace {

QImage crossedOut(const PictureColors& colors) {
    constexpr int kSide = 16;
    QImage image(kSide, kSide, QImage::Format_RGB32);
    image.fill(colors.paper);
    for (int at = 0; at < kSide; ++at) {
        image.setPixelColor(at, at, colors.ink);
        image.setPixelColor(at, kSide - 1 - at, colors.ink);
    }
    return image;
}

// Returns a colour component from 0 to 255. Rounds as QColor does: to 16 bits, of which the upper 8 are shown.
int byteOf(float level) {
    return static_cast<int>(std::lround(level * 65535.0F)) >> 8;
}

QImage painted(const Dataset& data, std::int64_t sample, const PictureColors& colors) {
    const SampleShape shape = data.shape();
    std::vector<float> values(static_cast<std::size_t>(shape.features));
    data.features(sample, values);
    const float low = data.displayMinimum();
    const float range = std::max(data.displayMaximum() - low, 1e-12F);
    const auto level = [&](std::int64_t at) {
        return std::clamp((values[static_cast<std::size_t>(at)] - low) / range, 0.0F, 1.0F);
    };
    QImage image(static_cast<int>(shape.width), static_cast<int>(shape.height), QImage::Format_RGB32);
    const std::int64_t plane = shape.height * shape.width;
    for (std::int64_t at = 0, y = 0; y < shape.height; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(static_cast<int>(y)));
        for (std::int64_t x = 0; x < shape.width; ++x, ++at) {
            line[x] = shape.channels >= 3
                          ? qRgb(byteOf(level(at)), byteOf(level(at + plane)), byteOf(level(at + 2 * plane)))
                          : mixed(colors.paper, colors.ink, static_cast<double>(level(at))).rgb();
        }
    }
    return image;
}

}  // namespace

QImage sampleImage(const Dataset& data, std::int64_t sample, const PictureColors& colors, int maxSide) {
    QImage image;
    try {
        image = painted(data, sample, colors);
    } catch (const IoError&) {
        return crossedOut(colors);  // a damaged file is shown crossed out and must not end the program
    }
    if (std::max(image.width(), image.height()) <= maxSide) return image;
    return image.scaled(maxSide, maxSide, Qt::KeepAspectRatio, Qt::SmoothTransformation);
}

}  // namespace ringside
