// SPDX-License-Identifier: GPL-3.0-or-later
#include "models/run_model.h"

#include <chrono>
#include <utility>

namespace ringside {
namespace {

constexpr qsizetype kSliceBytes = 128 * 1024;  // number of bytes that are decoded at a time, which takes about 2 ms

}  // namespace

RunModel::RunModel(QObject* parent) : QObject(parent) {
    m_tick.setSingleShot(true);
    m_tick.setInterval(std::chrono::milliseconds(40));
    connect(&m_tick, &QTimer::timeout, this, [this] {
        const unsigned changes = std::exchange(m_pending, 0U);
        // When the number of ranks changes, emits restarted(), so that views rebuild their rows. Does not clear the
        // steps in m_data.
        const std::size_t before = std::exchange(m_ranksShown, m_data.ranks().size());
        if (before != 0 && before != m_ranksShown) Q_EMIT restarted();
        if (std::exchange(m_watchedPending, false)) Q_EMIT watchedChanged();
        if (changes != 0) Q_EMIT changed(changes);
    });
    m_slice.setInterval(0);
    connect(&m_slice, &QTimer::timeout, this, &RunModel::decodeSlice);
}

void RunModel::reset() {
    m_tick.stop();
    m_slice.stop();
    m_queue.clear();
    m_taken = 0;
    m_pending = 0;
    m_ranksShown = 0;
    m_decoder = Decoder();
    m_data = RunData();
    m_watched = WatchedScript();
    m_logged = LoggedCurves();
    m_watchedPending = false;
    Q_EMIT restarted();
}

void RunModel::setExpectedRun(const ExpectedRun& run) {
    m_expected = run;
    Q_EMIT expectedChanged();
}

void RunModel::clearExpectedRun() {
    if (!m_expected) return;
    m_expected.reset();
    Q_EMIT expectedChanged();
}

void RunModel::setFormDiffers(bool differs) {
    if (std::exchange(m_formDiffers, differs) != differs) Q_EMIT formDiffersChanged();
}

void RunModel::feed(const QByteArray& bytes) {
    m_queue << bytes;
    decodeSlice();
    if (!m_queue.isEmpty()) m_slice.start();
}

void RunModel::decodeSlice() {
    const QByteArray& chunk = m_queue.first();
    const qsizetype count = std::min(chunk.size() - m_taken, kSliceBytes);
    const std::string_view view(chunk.constData() + m_taken, static_cast<std::size_t>(count));
    m_decoder.feed(view, [this](Event&& event) {
        m_pending |= m_data.apply(event);
        const bool isNews = m_watched.apply(event) || m_logged.add(event);
        m_watchedPending = m_watchedPending || isNews;
    });
    if (m_data.started()) m_expected.reset();  // changed() is emitted later, by m_tick
    m_taken += count;
    if (m_taken == chunk.size()) {
        m_queue.removeFirst();
        m_taken = 0;
    }
    if ((m_pending != 0 || m_watchedPending) && !m_tick.isActive()) m_tick.start();
    if (!m_queue.isEmpty()) return;
    m_slice.stop();
    Q_EMIT drained();
}

}  // namespace ringside
