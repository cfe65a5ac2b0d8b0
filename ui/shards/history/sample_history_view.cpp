// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/history/sample_history_view.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLocale>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr TypeLength kEpochWidth{66};
constexpr TypeLength kTrackWidth{130};
constexpr TypeLength kWhereWidth{190};
constexpr std::size_t kMaxMatesDrawn = 24;

// Returns the first `most` of the samples that share a batch with a sample, as "with 12, 44, 81".
QString matesText(const std::vector<std::uint32_t>& mates, std::size_t most) {
    QStringList names;
    for (std::size_t i = 0; i < std::min(mates.size(), most); ++i) names << QString::number(mates[i]);
    return QCoreApplication::translate("ringside::SampleHistoryCanvas", "with %1")
        .arg(names.join(QStringLiteral(", ")));
}

}  // namespace

SampleHistoryCanvas::SampleHistoryCanvas(Theme& theme, QWidget* parent) : Picture(theme, parent) {
    setObjectName(QStringLiteral("sampleHistoryCanvas"));
    setAccessibleName(tr("Sample history: the selected sample in every epoch"));
    setFocusPolicy(Qt::StrongFocus);
}

void SampleHistoryCanvas::show(const SampleHistory& history, std::int64_t cursor, int ranks) {
    m_history = history;
    m_cursor = cursor;
    m_ranks = ranks;
    setMinimumHeight(std::max<int>(1, static_cast<int>(history.epochLimit)) * kRowHeight);
    update();
}

void SampleHistoryCanvas::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_history.entries.empty()) {
        painter.setPen(theme().colors().muted);
        painter.drawText(rect(), Qt::AlignCenter,
                         m_history.sample < 0 ? tr("No sample is selected")
                                              : tr("Following sample %1 through the epochs").arg(m_history.sample));
        return;
    }
    const int first = std::max(0, event->rect().top() / kRowHeight);
    const int last = std::min(static_cast<int>(m_history.entries.size()), event->rect().bottom() / kRowHeight + 1);
    for (int row = first; row < last; ++row) {
        drawRow(painter, m_history.entries[static_cast<std::size_t>(row)], row * kRowHeight);
    }
}

void SampleHistoryCanvas::drawRow(QPainter& painter, const SampleHistoryEntry& entry, double top) const {
    const ThemeColors& c = theme().colors();
    const QRectF row(0, top, width(), kRowHeight - 2);
    if (entry.epoch == m_cursor) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.accentSoft);
        painter.drawRoundedRect(row, 4, 4);
    }
    painter.setPen(c.text);
    painter.setFont(entry.epoch == m_cursor ? theme().numberFont() : theme().bodyFont());
    painter.drawText(QRectF(6, top, kEpochWidth, row.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Epoch %1").arg(epochNumber(entry.epoch)));
    drawTrack(painter, entry, {kEpochWidth + 8, top + 8, kTrackWidth, row.height() - 16});
    const QRectF where(kEpochWidth + kTrackWidth + 20, top, kWhereWidth, row.height());
    painter.setFont(theme().bodyFont());
    if (entry.uses.empty()) {
        painter.setPen(c.danger);
        painter.drawText(where, Qt::AlignLeft | Qt::AlignVCenter, tr("dropped by the sampler"));
        return;
    }
    const SampleSlot& place = entry.uses.front().place;
    painter.setPen(place.step < 0 ? c.danger : entry.uses.size() > 1 ? c.warningText : c.text);
    painter.drawText(
        where, Qt::AlignLeft | Qt::AlignVCenter,
        (place.step < 0 ? tr("rank %1, dropped by the loader").arg(place.rank)
                        : tr("rank %1, step %2, slot %3").arg(place.rank).arg(place.step + 1).arg(place.slot)) +
            (entry.uses.size() > 1 ? tr(" (%1 times)").arg(entry.uses.size()) : QString()));
    drawMates(painter, entry, matesRoom(top));
}

// Draws an epoch from its first to its last step, with a mark in the colour of the rank where the sample is trained.
void SampleHistoryCanvas::drawTrack(QPainter& painter, const SampleHistoryEntry& entry, const QRectF& track) const {
    painter.setPen(Qt::NoPen);
    painter.setBrush(theme().colors().grid);
    painter.drawRoundedRect(track, 3, 3);
    for (const auto& [place, mates] : entry.uses) {
        if (place.step < 0) continue;
        const double at =
            (static_cast<double>(place.step) + 0.5) / static_cast<double>(std::max<std::int64_t>(1, entry.steps));
        painter.setBrush(theme().rankColor(place.rank));
        painter.drawRoundedRect(QRectF(track.left() + at * (track.width() - 8), track.top() - 3, 8, track.height() + 6),
                                2, 2);
    }
}

QRectF SampleHistoryCanvas::matesRoom(double top) const {
    const double left = kEpochWidth + kTrackWidth + 20 + kWhereWidth + 4;
    return {left, top, width() - left - 6, kRowHeight - 2.0};
}

std::optional<std::int64_t> SampleHistoryCanvas::mateAt(const SampleHistoryEntry& entry, double at) const {
    const QFontMetrics metrics(theme().smallFont());
    const std::vector<std::uint32_t>& mates = entry.uses.front().batchMates;
    for (std::size_t count = 1; at >= 0 && count <= std::min(mates.size(), kMaxMatesDrawn); ++count)
        if (at < metrics.horizontalAdvance(matesText(mates, count))) return mates[count - 1];
    return {};
}

// Returns the sample, the epoch of the row at `point`, the rank and step of the first use of the sample in that epoch,
// if there is one, and the sample of the same batch whose number is drawn at `point`.
std::vector<Identity> SampleHistoryCanvas::identitiesAt(const QPoint& point) const {
    const auto row = static_cast<std::size_t>(std::max(0, point.y() / kRowHeight));
    if (row >= m_history.entries.size()) return {};
    const SampleHistoryEntry& entry = m_history.entries[row];
    std::vector<Identity> found{{IdentityKind::Sample, m_history.sample}, {IdentityKind::Epoch, entry.epoch}};
    if (entry.uses.empty()) return found;
    const SampleSlot& place = entry.uses.front().place;
    found.push_back({IdentityKind::Rank, place.rank});
    if (place.step >= 0) found.push_back({IdentityKind::Step, entry.epoch * entry.steps + place.step + 1});
    if (const auto mate = mateAt(entry, point.x() - matesRoom(0).left()))
        found.push_back({IdentityKind::Sample, *mate});
    return found;
}

void SampleHistoryCanvas::drawMates(QPainter& painter, const SampleHistoryEntry& entry, QRectF room) const {
    if (entry.uses.front().batchMates.empty() || room.width() < 60) return;
    painter.setFont(theme().smallFont());
    painter.setPen(theme().colors().muted);
    const QString text = matesText(entry.uses.front().batchMates, kMaxMatesDrawn);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room.width())));
}

void SampleHistoryCanvas::mousePressEvent(QMouseEvent* event) {
    const auto row = static_cast<std::size_t>(std::max(0, event->pos().y() / kRowHeight));
    if (event->button() == Qt::LeftButton && row < m_history.entries.size()) {
        Q_EMIT epochClicked(static_cast<int>(m_history.entries[row].epoch));
    }
}

// Up and Down change the epoch.
void SampleHistoryCanvas::keyPressEvent(QKeyEvent* event) {
    const int by = (event->key() == Qt::Key_Down ? 1 : 0) - (event->key() == Qt::Key_Up ? 1 : 0);
    const std::int64_t next = m_cursor + by;
    if (by == 0) return QWidget::keyPressEvent(event);
    if (next >= 0 && next < static_cast<std::int64_t>(m_history.entries.size())) {
        Q_EMIT epochClicked(static_cast<int>(next));
    }
}

SampleHistoryView::SampleHistoryView(Theme& theme, QWidget* parent) : ShardView(parent) {
    setObjectName(QStringLiteral("sampleHistoryView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_canvas = new SampleHistoryCanvas(theme);
    m_scroll = new QScrollArea;
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(m_canvas);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_canvas->setAutoFillBackground(false);
    layout->addWidget(m_scroll);
    connect(m_canvas, &SampleHistoryCanvas::epochClicked, this, &ShardView::epochChosen);
}

void SampleHistoryView::setScene(const ShardScene& scene) {
    m_scene.emplace(scene);
    updateExplanation();
}

void SampleHistoryView::setSelected(std::optional<qint64> sample, std::optional<GridCell>) {
    if (sample == m_sample) return;
    m_sample = sample;
    updateExplanation();
}

// Discards the history if it is not complete. It is computed again when the view is shown.
void SampleHistoryView::freeMemory() {
    m_work.cancel();
    m_scene.reset();
    if (!m_history.isWhole()) m_history = {};
}

void SampleHistoryView::updateExplanation() {
    m_explanation.reset();
    if (!m_scene || !m_sample) {
        m_work.cancel();
        m_history = {};
        m_canvas->show(m_history, 0, 1);
        if (m_scene) m_explanation = explainNoSelection(*m_scene);
        Q_EMIT explanationChanged();
        return;
    }
    const ShardSpec spec = m_scene->specAt(0);
    if (!isCurrent(spec)) {  // with unchanged settings the history stays valid, because only the selected epoch has
                             // changed
        m_history = emptySampleHistory(*m_scene, *m_sample);
        m_lifeOf = spec;
        m_scrolledTo.reset();
        continueComputing();
    }
    show();
}

// Computes the next epochs. The first epochs of a large data set are shown while further epochs are computed.
void SampleHistoryView::continueComputing() {
    m_work.requestLatest(
        this,
        [scene = *m_scene, history = m_history](const LatestWork::Stop& stop) {
            return extendHistory(scene, history, stop);
        },
        [this](const SampleHistory& history) {
            m_history = history;
            if (!m_history.isWhole()) continueComputing();
            show();
        });
}

bool SampleHistoryView::isCurrent(const ShardSpec& spec) const {
    return m_history.sample == m_sample && m_history.epochsOfRun == m_scene->epochs && m_lifeOf == spec;
}

void SampleHistoryView::show() {
    m_canvas->show(m_history, m_scene->epoch, m_scene->ranks());
    if (m_history.entries.empty()) return;
    const bool there = m_scene->epoch < std::ssize(m_history.entries);
    if (there && m_scrolledTo != m_scene->epoch) {
        m_scroll->ensureVisible(0,
                                m_scene->epoch * SampleHistoryCanvas::kRowHeight + SampleHistoryCanvas::kRowHeight / 2);
        m_scrolledTo = m_scene->epoch;
    }
    m_explanation = explainSampleHistory(*m_scene, m_history);
    Q_EMIT explanationChanged();
}

}  // namespace ringside
