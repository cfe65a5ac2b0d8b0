// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/biography/biography_view.h"

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

}  // namespace

BiographyCanvas::BiographyCanvas(Theme& theme, QWidget* parent) : QWidget(parent), m_theme(theme) {
    setObjectName(QStringLiteral("biographyCanvas"));
    setAccessibleName(tr("Sample history: the selected sample in every epoch"));
    setFocusPolicy(Qt::StrongFocus);
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void BiographyCanvas::show(const Biography& life, std::int64_t cursor, int ranks) {
    m_life = life;
    m_cursor = cursor;
    m_ranks = ranks;
    setMinimumHeight(std::max<int>(1, static_cast<int>(life.epochsToTell)) * kRowHeight);
    update();
}

void BiographyCanvas::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (m_life.entries.empty()) {
        painter.setPen(m_theme.colors().muted);
        painter.drawText(rect(), Qt::AlignCenter,
                         m_life.sample < 0 ? tr("No sample is selected")
                                           : tr("Following sample %1 through the epochs").arg(m_life.sample));
        return;
    }
    const int first = std::max(0, event->rect().top() / kRowHeight);
    const int last = std::min(static_cast<int>(m_life.entries.size()), event->rect().bottom() / kRowHeight + 1);
    for (int row = first; row < last; ++row) {
        drawRow(painter, m_life.entries[static_cast<std::size_t>(row)], row * kRowHeight);
    }
}

void BiographyCanvas::drawRow(QPainter& painter, const BiographyEntry& entry, double top) const {
    const ThemeColors& c = m_theme.colors();
    const QRectF row(0, top, width(), kRowHeight - 2);
    if (entry.epoch == m_cursor) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.accentSoft);
        painter.drawRoundedRect(row, 4, 4);
    }
    painter.setPen(c.text);
    painter.setFont(entry.epoch == m_cursor ? m_theme.numberFont() : m_theme.bodyFont());
    painter.drawText(QRectF(6, top, kEpochWidth, row.height()), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("Epoch %1").arg(epochNumber(entry.epoch)));
    drawTrack(painter, entry, {kEpochWidth + 8, top + 8, kTrackWidth, row.height() - 16});
    const QRectF where(kEpochWidth + kTrackWidth + 20, top, kWhereWidth, row.height());
    painter.setFont(m_theme.bodyFont());
    if (entry.uses.empty()) {
        painter.setPen(c.danger);
        painter.drawText(where, Qt::AlignLeft | Qt::AlignVCenter, tr("dropped by the sampler"));
        return;
    }
    const SamplePlace& place = entry.uses.front().place;
    painter.setPen(place.step < 0 ? c.danger : entry.uses.size() > 1 ? c.warningText : c.text);
    painter.drawText(
        where, Qt::AlignLeft | Qt::AlignVCenter,
        (place.step < 0 ? tr("rank %1, dropped by the loader").arg(place.rank)
                        : tr("rank %1, step %2, slot %3").arg(place.rank).arg(place.step + 1).arg(place.slot)) +
            (entry.uses.size() > 1 ? tr(" (%1 times)").arg(entry.uses.size()) : QString()));
    drawMates(painter, entry, {where.right() + 4, top, width() - where.right() - 10, row.height()});
}

// Draws an epoch from its first to its last step, with a mark in the colour of the rank where the sample is trained.
void BiographyCanvas::drawTrack(QPainter& painter, const BiographyEntry& entry, const QRectF& track) const {
    painter.setPen(Qt::NoPen);
    painter.setBrush(m_theme.colors().grid);
    painter.drawRoundedRect(track, 3, 3);
    for (const auto& [place, mates] : entry.uses) {
        if (place.step < 0) continue;
        const double at =
            (static_cast<double>(place.step) + 0.5) / static_cast<double>(std::max<std::int64_t>(1, entry.steps));
        painter.setBrush(m_theme.rankColor(place.rank));
        painter.drawRoundedRect(QRectF(track.left() + at * (track.width() - 8), track.top() - 3, 8, track.height() + 6),
                                2, 2);
    }
}

void BiographyCanvas::drawMates(QPainter& painter, const BiographyEntry& entry, QRectF room) const {
    if (entry.uses.front().batchMates.empty() || room.width() < 60) return;
    QStringList names;
    for (const std::uint32_t mate : entry.uses.front().batchMates) {
        names << QString::number(mate);
        if (names.size() >= 24) break;
    }
    painter.setFont(m_theme.noteFont());
    painter.setPen(m_theme.colors().muted);
    const QString text = tr("with %1").arg(names.join(QStringLiteral(", ")));
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, static_cast<int>(room.width())));
}

void BiographyCanvas::mousePressEvent(QMouseEvent* event) {
    const auto row = static_cast<std::size_t>(std::max(0, event->pos().y() / kRowHeight));
    if (event->button() == Qt::LeftButton && row < m_life.entries.size()) {
        Q_EMIT epochClicked(static_cast<int>(m_life.entries[row].epoch));
    }
}

// Up and Down change the epoch.
void BiographyCanvas::keyPressEvent(QKeyEvent* event) {
    const int by = (event->key() == Qt::Key_Down ? 1 : 0) - (event->key() == Qt::Key_Up ? 1 : 0);
    const std::int64_t next = m_cursor + by;
    if (by == 0) return QWidget::keyPressEvent(event);
    if (next >= 0 && next < static_cast<std::int64_t>(m_life.entries.size())) {
        Q_EMIT epochClicked(static_cast<int>(next));
    }
}

BiographyView::BiographyView(Theme& theme, QWidget* parent) : ShardView(parent) {
    setObjectName(QStringLiteral("biographyView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    m_canvas = new BiographyCanvas(theme);
    m_scroll = new QScrollArea;
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setWidget(m_canvas);
    m_scroll->viewport()->setAutoFillBackground(false);
    m_canvas->setAutoFillBackground(false);
    layout->addWidget(m_scroll);
    connect(m_canvas, &BiographyCanvas::epochClicked, this, &ShardView::epochChosen);
}

void BiographyView::setScene(const ShardScene& scene) {
    m_scene.emplace(scene);
    tell();
}

void BiographyView::setSelected(std::optional<qint64> sample, std::optional<LoomCell>) {
    if (sample == m_sample) return;
    m_sample = sample;
    tell();
}

// Discards an incomplete history, which is computed again when needed.
void BiographyView::freeMemory() {
    m_work.cancel();
    m_scene.reset();
    if (!m_life.isWhole()) m_life = {};
}

void BiographyView::tell() {
    m_explanation.reset();
    if (!m_scene || !m_sample) {
        m_work.cancel();
        m_life = {};
        m_canvas->show(m_life, 0, 1);
        if (m_scene) m_explanation = explainNobody(*m_scene);
        Q_EMIT explanationChanged();
        return;
    }
    const ShardSpec spec = m_scene->specAt(0);
    if (!isCurrent(spec)) {  // otherwise only the selected epoch changed
        m_life = begunBiography(*m_scene, *m_sample);
        m_lifeOf = spec;
        m_scrolledTo.reset();
        goOn();
    }
    show();
}

// Computes the next epochs. The first epochs of a large data set are shown while the others are computed.
void BiographyView::goOn() {
    m_work.want(
        this, [scene = *m_scene, life = m_life](const LatestWork::Stop& stop) { return continued(scene, life, stop); },
        [this](const Biography& life) {
            m_life = life;
            if (!m_life.isWhole()) goOn();
            show();
        });
}

bool BiographyView::isCurrent(const ShardSpec& spec) const {
    return m_life.sample == m_sample && m_life.epochsOfRun == m_scene->epochs && m_lifeOf == spec;
}

void BiographyView::show() {
    m_canvas->show(m_life, m_scene->epoch, m_scene->ranks());
    if (m_life.entries.empty()) return;
    const bool there = m_scene->epoch < std::ssize(m_life.entries);
    if (there && m_scrolledTo != m_scene->epoch) {
        m_scroll->ensureVisible(0, m_scene->epoch * BiographyCanvas::kRowHeight + BiographyCanvas::kRowHeight / 2);
        m_scrolledTo = m_scene->epoch;
    }
    m_explanation = explainBiography(*m_scene, m_life);
    Q_EMIT explanationChanged();
}

}  // namespace ringside
