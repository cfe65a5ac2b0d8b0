// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCache>
#include <QImage>
#include <memory>

#include "data/dataset.h"

namespace ringside {

// Small pictures of an image data set's samples, made when first drawn and kept up to a bound. Grey pictures are drawn
// with ink in the theme's text colour: dark on light or light on dark.
class Thumbnails {
  public:
    static constexpr int kKeptBytes = 64 << 20;
    static constexpr int kMostSide = 128;  // larger pictures are kept scaled down

    void setData(std::shared_ptr<const Dataset> data);
    void setColors(const QColor& paper, const QColor& ink);
    bool available() const { return m_data && m_data->shape().isImage(); }
    // A crossed-out picture where the sample's file cannot be read.
    QImage image(std::int64_t sample);

  private:
    QImage make(std::int64_t sample) const;
    QImage crossedOut() const;

    std::shared_ptr<const Dataset> m_data;
    QColor m_paper = Qt::white, m_ink = Qt::black;
    QCache<qint64, QImage> m_cache{kKeptBytes};
};

}  // namespace ringside
