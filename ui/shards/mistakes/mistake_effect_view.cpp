// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/mistakes/mistake_effect_view.h"

#include <QVBoxLayout>

#include "controls/tone.h"
#include "controls/wrapped_text.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr int kColumns = 4;
constexpr TypePixels kSideBySide{640};

}  // namespace

MistakeEffectView::MistakeEffectView(Theme& theme, QWidget* parent) : ShardView(parent), m_theme(theme) {
    setObjectName(QStringLiteral("mistakeEffectView"));
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace4);
    m_switches = new MistakeSwitches;
    connect(m_switches, &MistakeSwitches::toggled, this, &MistakeEffectView::mistakeToggled);
    layout->addWidget(m_switches);
    m_parts = new QBoxLayout(QBoxLayout::LeftToRight);
    m_parts->setSpacing(Theme::kSpace5);
    m_parts->addWidget(makeNumbers(), 3);
    auto* matrix = new QVBoxLayout;
    auto* title = new QLabel(tr("Samples that ranks share"));
    title->setProperty("role", "number");
    matrix->addWidget(title);
    m_matrix = new OverlapMatrix(theme);
    matrix->addWidget(m_matrix, 1);
    m_parts->addLayout(matrix, 2);
    layout->addLayout(m_parts, 1);
}

// Arranges the matrix beside the numbers, or below them in a narrow view.
void MistakeEffectView::resizeEvent(QResizeEvent* event) {
    ShardView::resizeEvent(event);
    m_parts->setDirection(width() < kSideBySide ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
}

QWidget* MistakeEffectView::makeNumbers() {
    auto* numbers = new QWidget;
    numbers->setProperty("role", "clear");
    auto* layout = new QVBoxLayout(numbers);
    layout->setContentsMargins(0, 0, 0, 0);
    m_rows = new QGridLayout;
    m_rows->setHorizontalSpacing(Theme::kSpace4);
    m_rows->setVerticalSpacing(Theme::kSpace2);
    m_rows->setColumnStretch(0, 1);
    layout->addLayout(m_rows);
    layout->addStretch(1);
    return numbers;
}

void MistakeEffectView::setScene(const ShardScene& scene) {
    m_scene.emplace(scene);
    m_switches->setScene(scene);
    m_work.requestLatest(
        this, [scene](const LatestWork::Stop& stop) { return mistakeEffectReport(scene, stop); },
        [this](const MistakeEffectReport& report) { setReport(report); });
}

void MistakeEffectView::setReport(const MistakeEffectReport& report) {
    m_report = report;
    m_explanation = explainMistakeEffect(*m_scene, report);
    fillRows(mistakeEffectRows(*m_scene, report), report.withoutMistakes.has_value());
    m_matrix->setMistakeEffect(report.here.epoch);
    Q_EMIT explanationChanged();
}

void MistakeEffectView::fillRows(const QList<MistakeEffectRow>& rows, bool withoutMistakes) {
    QList<QStringList> lines{
        {{}, tr("with these settings"), tr("by chance"), withoutMistakes ? tr("without the mistake") : QString()}};
    for (const MistakeEffectRow& row : rows)
        lines << QStringList{row.name, row.here, row.expected, row.withoutMistakes};
    while (m_cells.size() < lines.size()) {
        QList<QLabel*> cells;
        for (int column = 0; column < kColumns; ++column) {
            QLabel* label = column == 0 || m_cells.isEmpty() ? new WrappedText : new QLabel;
            label->setAlignment((column == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
            label->setProperty("role", m_cells.isEmpty() ? "note" : column == 1 ? "number" : "muted");
            if (column > 0 && !m_cells.isEmpty()) label->setFont(m_theme.numberFont());
            m_rows->addWidget(label, static_cast<int>(m_cells.size()), column);
            cells << label;
        }
        m_cells << cells;
    }
    for (qsizetype line = 0; line < m_cells.size(); ++line) {
        for (int column = 0; column < kColumns; ++column) {
            QLabel* label = m_cells[line][column];
            label->setText(line < lines.size() ? lines[line][column] : QString());
            if (line > 0 && line <= rows.size()) label->setToolTip(rows[line - 1].tip);
        }
        if (line > 0) setTone(m_cells[line][1], line <= rows.size() && rows[line - 1].bad ? "danger" : "");
    }
}

TableData MistakeEffectView::table() const {
    return m_scene && m_report ? mistakeEffectTable(*m_scene, *m_report) : TableData{};
}

}  // namespace ringside
