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

// Thumbnails of an image data set. A thumbnail is made on a worker thread after it was drawn for the first time; until
// then, an empty square is drawn. The latest requests are served first. A limited number of thumbnails is kept. Tiny
// images in memory are drawn without a worker thread.
class Thumbnails final : public QObject {
    Q_OBJECT
  public:
    static constexpr int kKeptBytes = 64 << 20;
    static constexpr int kMaxSide = 128;  // largest side of a stored picture; larger pictures are scaled down
    static constexpr int kMaxWaiting = 512;
    // largest number of values of a picture that is drawn at once, without a worker thread; takes about 10 us
    static constexpr std::int64_t kInstantValues = 64;

    explicit Thumbnails(QObject* parent = nullptr);
    ~Thumbnails() override;

    void setData(std::shared_ptr<const Dataset> data);
    void setColors(const QColor& paper, const QColor& ink);
    bool available() const { return m_data && m_data->shape().isImage(); }
    QImage image(std::int64_t sample);
    bool isSettled() const { return m_waiting.isEmpty() && !m_notifyTimer.isActive(); }

  Q_SIGNALS:
    void arrived();  // emitted when requested pictures have been made, at most 25 times a second

  private:
    void clearCache();
    void requestLatest(std::int64_t sample);
    void setPicture(quint64 generation, std::int64_t sample, const QImage& image);

    std::shared_ptr<const Dataset> m_data;
    PictureColors m_colors;
    QCache<qint64, QImage> m_cache{kKeptBytes};
    QImage m_placeholder;
    QSet<qint64> m_waiting;
    // number of changes of data or colours; pictures that were requested before the latest change are discarded
    quint64 m_generation = 0;
    int m_priority = 0;
    QTimer m_notifyTimer;
    QThreadPool m_pool;  // pool of one thread that makes the pictures
};

}  // namespace ringside
