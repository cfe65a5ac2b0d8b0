// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/cells/thumbnails.h"

#include "shards/cells/cell_colors.h"

namespace ringside {
namespace {

constexpr int kNotifyMs = 40;
constexpr double kPlaceholderInk = 0.08;

}  // namespace

Thumbnails::Thumbnails(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(1);
    m_notifyTimer.setSingleShot(true);
    m_notifyTimer.setInterval(kNotifyMs);
    connect(&m_notifyTimer, &QTimer::timeout, this, &Thumbnails::arrived);
}

Thumbnails::~Thumbnails() {
    m_pool.clear();
    m_pool.waitForDone();  // waits for at most one picture, which the worker thread is making
}

void Thumbnails::setData(std::shared_ptr<const Dataset> data) {
    if (data == m_data) return;
    m_data = std::move(data);
    clearCache();
}

void Thumbnails::setColors(const QColor& paper, const QColor& ink) {
    const PictureColors colors{paper, ink};
    if (colors == m_colors) return;
    m_colors = colors;
    clearCache();
}

void Thumbnails::clearCache() {
    m_pool.clear();
    m_waiting.clear();
    m_cache.clear();
    m_placeholder = QImage();
    ++m_generation;
}

QImage Thumbnails::image(std::int64_t sample) {
    if (const QImage* known = m_cache.object(sample)) return *known;
    if (m_data->isLazy() || m_data->shape().features > kInstantValues) {
        requestLatest(sample);
        if (m_placeholder.isNull()) {
            m_placeholder = QImage(1, 1, QImage::Format_RGB32);
            m_placeholder.fill(mixed(m_colors.paper, m_colors.ink, kPlaceholderInk));
        }
        return m_placeholder;
    }
    const QImage made = sampleImage(*m_data, sample, m_colors, kMaxSide);
    m_cache.insert(sample, new QImage(made), static_cast<int>(made.sizeInBytes()));
    return made;
}

void Thumbnails::requestLatest(std::int64_t sample) {
    if (m_waiting.contains(sample)) return;
    if (m_waiting.size() >= kMaxWaiting) {  // scrolling has passed the oldest requests; visible pictures are requested
                                            // again
        m_pool.clear();
        m_waiting.clear();
    }
    m_waiting.insert(sample);
    m_pool.start(
        [this, sample, data = m_data, colors = m_colors, generation = m_generation] {
            const QImage made = sampleImage(*data, sample, colors, kMaxSide);
            QMetaObject::invokeMethod(
                this, [this, generation, sample, made] { setPicture(generation, sample, made); }, Qt::QueuedConnection);
        },
        ++m_priority);
}

void Thumbnails::setPicture(quint64 generation, std::int64_t sample, const QImage& image) {
    if (generation != m_generation) return;
    m_waiting.remove(sample);
    m_cache.insert(sample, new QImage(image), static_cast<int>(image.sizeInBytes()));
    if (!m_notifyTimer.isActive()) m_notifyTimer.start();
}

}  // namespace ringside
