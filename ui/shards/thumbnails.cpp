// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/thumbnails.h"

#include <QColor>
#include <algorithm>
#include <vector>

#include "base/errors.h"
#include "shards/cell_colors.h"

namespace ringside {

void Thumbnails::setData(std::shared_ptr<const Dataset> data) {
    if (data != m_data) {
        m_data = std::move(data);
        m_cache.clear();
    }
}

void Thumbnails::setColors(const QColor& paper, const QColor& ink) {
    if (paper != m_paper || ink != m_ink) {
        m_paper = paper;
        m_ink = ink;
        m_cache.clear();
    }
}

QImage Thumbnails::image(std::int64_t sample) {
    if (const QImage* known = m_cache.object(sample)) {
        return *known;
    }
    QImage made;
    try {
        made = make(sample);
    } catch (const IoError&) {
        made = crossedOut();  // one damaged file must not take the window down
    }
    if (std::max(made.width(), made.height()) > kMostSide) {
        made = made.scaled(kMostSide, kMostSide, Qt::KeepAspectRatio, Qt::SmoothTransformation);
    }
    m_cache.insert(sample, new QImage(made), static_cast<int>(made.sizeInBytes()));
    return made;
}

QImage Thumbnails::crossedOut() const {
    constexpr int kSide = 16;
    QImage image(kSide, kSide, QImage::Format_RGB32);
    image.fill(m_paper);
    for (int at = 0; at < kSide; ++at) {
        image.setPixelColor(at, at, m_ink);
        image.setPixelColor(at, kSide - 1 - at, m_ink);
    }
    return image;
}

QImage Thumbnails::make(std::int64_t sample) const {
    const SampleShape shape = m_data->shape();
    std::vector<float> values(static_cast<std::size_t>(shape.features));
    m_data->features(sample, values);
    const float low = m_data->displayMinimum();
    const float range = std::max(m_data->displayMaximum() - low, 1e-12F);
    const auto level = [&](std::int64_t at) {
        return std::clamp((values[static_cast<std::size_t>(at)] - low) / range, 0.0F, 1.0F);
    };
    QImage image(static_cast<int>(shape.width), static_cast<int>(shape.height), QImage::Format_RGB32);
    const std::int64_t plane = shape.height * shape.width;
    for (std::int64_t at = 0; at < plane; ++at) {
        const QColor color = shape.channels >= 3 ? QColor::fromRgbF(level(at), level(at + plane), level(at + 2 * plane))
                                                 : mixed(m_paper, m_ink, static_cast<double>(level(at)));
        image.setPixelColor(static_cast<int>(at % shape.width), static_cast<int>(at / shape.width), color);
    }
    return image;
}

}  // namespace ringside
