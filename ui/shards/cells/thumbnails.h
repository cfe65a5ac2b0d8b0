// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCache>
#include <QObject>
#include <QSet>
#include <QThreadPool>
#include <QTimer>
#include <memory>

#include "shards/cells/sample_image.h"

namespace ringside {

// Small pictures of an image data set's samples, made when first drawn and kept up to a bound: on a worker thread, the
// newest wish first, and until then an empty square stands for them. Tiny ones that lie in memory are made at once.
class Thumbnails final : public QObject {
    Q_OBJECT
  public:
    static constexpr int kKeptBytes = 64 << 20;
    static constexpr int kMostSide = 128;  // larger pictures are kept scaled down
    static constexpr int kMostWaiting = 512;
    static constexpr std::int64_t kInstantValues = 64;  // of the largest picture that is made at once: some 10 us

    explicit Thumbnails(QObject* parent = nullptr);
    ~Thumbnails() override;

    void setData(std::shared_ptr<const Dataset> data);
    void setColors(const QColor& paper, const QColor& ink);
    bool available() const { return m_data && m_data->shape().isImage(); }
    QImage image(std::int64_t sample);
    bool isSettled() const { return m_waiting.isEmpty() && !m_tell.isActive(); }

  Q_SIGNALS:
    void arrived();  // pictures that were missing when asked for; at most 25 times a second

  private:
    void forget();
    void want(std::int64_t sample);
    void setPicture(quint64 generation, std::int64_t sample, const QImage& image);

    std::shared_ptr<const Dataset> m_data;
    PictureColors m_colors;
    QCache<qint64, QImage> m_cache{kKeptBytes};
    QImage m_placeholder;
    QSet<qint64> m_waiting;
    quint64 m_generation = 0;  // of data and colours
    int m_wish = 0;
    QTimer m_tell;
    QThreadPool m_pool;  // one thread
};

}  // namespace ringside
