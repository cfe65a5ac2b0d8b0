// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/grid/breadcrumb.h"

#include <QCoreApplication>
#include <QLabel>
#include <algorithm>

#include "shards/scene/cell_text.h"
#include "shards/scene/sentence_text.h"
#include "theme/theme.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr int kLevels = 4;  // number of levels of the trail: epoch, rank, step, sample

QString words(const char* text) {
    return QCoreApplication::translate("Breadcrumb", text);
}

QString range(const char* one, const char* many, qint64 first, qint64 last) {
    return first == last ? words(one).arg(groupedNumber(first))
                         : words(many).arg(groupedNumber(first), groupedNumber(last));
}

void addSelected(QList<Crumb>& trail, const ShardScene& scene, GridCell cell) {
    const CellContent content = cellContent(scene.plan, cell.rank, cell.slot);
    if (content.kind == CellKind::DroppedBySampler) {
        trail << Crumb{CrumbKind::Step, words("dropped by the sampler")};
    } else {
        trail << Crumb{CrumbKind::Rank, words("rank %1").arg(cell.rank), Identity{IdentityKind::Rank, cell.rank}};
        Crumb step{CrumbKind::Step, words("dropped by the loader")};
        if (content.step >= 0) {
            step.text = words("step %1").arg(groupedNumber(content.step + 1));
            step.identity = {IdentityKind::Step, scene.epoch * scene.plan.stepsPerEpoch() + content.step + 1};
        }
        trail << step;
    }
    trail << Crumb{CrumbKind::Sample, words("sample %1").arg(cellName(content)),
                   Identity{IdentityKind::Sample, content.sample}};
}

void addInSight(QList<Crumb>& trail, const ShardScene& scene, const GridGeometry& view) {
    const CellRange ranks = view.visibleRanks();
    const CellRange seen = view.visibleSlots();
    const qint64 batch = scene.plan.spec().batchSize;
    if (ranks.size() > 0 && ranks.size() < scene.ranks()) {
        Crumb rank{CrumbKind::Rank, range("rank %1", "ranks %1 to %2", ranks.first, ranks.last - 1)};
        if (ranks.size() == 1) rank.identity = {IdentityKind::Rank, ranks.first};
        trail << rank;
    }
    const qint64 steps = scene.plan.stepsPerEpoch();
    const qint64 first = seen.first / batch, last = std::min(steps, (seen.last - 1) / batch + 1) - 1;
    if (seen.size() > 0 && seen.size() < scene.columns() && first <= last) {
        Crumb step{CrumbKind::Step, range("step %1", "steps %1 to %2", first + 1, last + 1)};
        if (first == last) step.identity = {IdentityKind::Step, scene.epoch * steps + first + 1};
        trail << step;
    }
}

}  // namespace

QList<Crumb> trailOf(const ShardScene& scene, const GridGeometry& view, std::optional<GridCell> selected) {
    QList<Crumb> trail{{CrumbKind::Epoch, words("Epoch %1").arg(epochNumber(scene.epoch)),
                        Identity{IdentityKind::Epoch, scene.epoch}}};
    if (selected) {
        addSelected(trail, scene, *selected);
    } else {
        addInSight(trail, scene, view);
    }
    return trail;
}

CellRange stepSlots(const ShardScene& scene, qint64 slot) {
    const qint64 batch = scene.plan.spec().batchSize;
    if (slot >= scene.plan.samplesPerRank()) return {scene.plan.samplesPerRank(), scene.columns()};
    const qint64 first = slot / batch * batch;
    return {first, std::min<qint64>(first + batch, scene.plan.samplesPerRank())};
}

Breadcrumb::Breadcrumb(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("breadcrumb"));
    setAccessibleName(tr("Visible part of the grid"));
    setProperty("role", "clear");
    m_row = new QHBoxLayout(this);
    m_row->setContentsMargins(0, 0, 0, 0);
    m_row->setSpacing(Theme::kSpace1);
    m_row->addStretch(1);
    // Creates all buttons at the start: buttons that are created later would come last in the order of the Tab key.
    for (int level = 0; level < kLevels; ++level) addButton(level);
}

// Adds the hidden button for one level of the trail (epoch, rank, step, sample). All buttons except the first have an
// arrow before them.
void Breadcrumb::addButton(int level) {
    if (level > 0) {
        auto* arrow = new QLabel(QStringLiteral("\u203a"), this);
        arrow->setProperty("role", "muted");
        arrow->hide();
        m_row->insertWidget(m_row->count() - 1, arrow);
    }
    auto* button = new QPushButton(this);
    button->setObjectName(QStringLiteral("crumb%1Button").arg(level));
    button->setProperty("role", "crumb");
    button->setCursor(Qt::PointingHandCursor);
    button->setToolTip(tr("Show a part of the grid"));  // tooltip until setTrail() sets one that names the part
    button->hide();
    connect(button, &QPushButton::clicked, this, [this, level] { Q_EMIT chosen(m_trail[level].kind); });
    m_row->insertWidget(m_row->count() - 1, button);
}

// Shows the trail. The buttons only change their texts, so that the keyboard focus is kept.
void Breadcrumb::setTrail(const QList<Crumb>& trail) {
    if (trail == m_trail) return;
    m_trail = trail;
    const auto buttons = findChildren<QPushButton*>();
    const auto arrows = findChildren<QLabel*>();
    for (qsizetype level = 0; level < buttons.size(); ++level) {
        const bool shown = level < trail.size();
        buttons[level]->setVisible(shown);
        if (level > 0) arrows[level - 1]->setVisible(shown);
        if (!shown) continue;
        buttons[level]->setToolTip(tr("Show %1").arg(trail[level].text));
        buttons[level]->setAccessibleName(trail[level].text);
    }
    fitText();
}

std::vector<Identity> Breadcrumb::identitiesAt(const QPoint& point) const {
    const auto buttons = findChildren<QPushButton*>();
    for (qsizetype level = 0; level < m_trail.size(); ++level) {
        if (m_trail[level].identity && buttons[level]->geometry().contains(point)) return {*m_trail[level].identity};
    }
    return {};
}

void Breadcrumb::resizeEvent(QResizeEvent*) {
    fitText();
}

// Truncates the text of the last button of the trail to the room that the other buttons leave.
void Breadcrumb::fitText() {
    const auto buttons = findChildren<QPushButton*>();
    const QLabel* arrow = findChild<QLabel*>();
    const int between = (arrow == nullptr ? 0 : arrow->sizeHint().width()) + 2 * m_row->spacing();
    int room = width();
    for (qsizetype level = 0; level < m_trail.size(); ++level) {
        QPushButton* button = buttons[level];
        button->setText(m_trail[level].text);
        const int extra = button->sizeHint().width() - button->fontMetrics().horizontalAdvance(m_trail[level].text);
        if (level + 1 == m_trail.size()) {
            button->setText(button->fontMetrics().elidedText(m_trail[level].text, Qt::ElideRight, room - extra));
        }
        room -= button->sizeHint().width() + between;
    }
}

}  // namespace ringside
