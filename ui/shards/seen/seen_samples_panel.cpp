// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/seen/seen_samples_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>
#include <chrono>

#include "controls/wrapped_text.h"
#include "models/run_model.h"
#include "sampling/plan/work_limits.h"
#include "shards/seen/audit_table.h"
#include "shards/seen/step_samples.h"
#include "tables/table_cells.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr std::chrono::seconds kBetweenReads{5};
constexpr int kMaxTableRows = 12;
constexpr TypePixels kMinRemark{110};  // minimum width of the last column, the remark

QString lineText(const SamplesLine& line, const ThemeColors& colors) {
    const bool isNote = line.label == "note" || !line.known;  // true if the line contains no result
    const QColor& color = isNote ? colors.muted : line.good ? colors.goodText : colors.danger;
    const QString mark = isNote      ? QStringLiteral("\u2022")
                         : line.good ? QStringLiteral("\u2713")
                                     : QStringLiteral("\u2717");
    const QString label = QString::fromStdString(line.label).toHtmlEscaped();
    const QString text = QString::fromStdString(line.text).toHtmlEscaped();
    return QStringLiteral("<span style='color:%1'>%2</span> %3%4")
        .arg(color.name(), mark, label.isEmpty() ? QString() : QStringLiteral("<b>%1:</b> ").arg(label), text);
}

QLabel* titleLabel(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("role", "title");
    return label;
}

}  // namespace

SeenSamplesPanel::SeenSamplesPanel(const RunModel& run, const Theme& theme, QWidget* parent)
    : QFrame(parent), m_run(run), m_theme(theme), m_cells(new StepSamplesView(theme)) {
    setObjectName(QStringLiteral("seenSamplesPanel"));
    setProperty("role", "panel");
    auto* content = new QWidget;
    content->setProperty("role", "clear");
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace3, Theme::kSpace4, Theme::kSpace3);
    column->setSpacing(Theme::kSpace2);
    column->addWidget(titleLabel(tr("Samples that the script used")));
    m_lines = new WrappedText;
    m_lines->setObjectName(QStringLiteral("auditLinesLabel"));
    m_lines->setTextFormat(Qt::RichText);
    m_lines->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_lines);
    column->addSpacing(Theme::kSpace2);
    addStep(*column);
    column->addSpacing(Theme::kSpace2);
    addTable(*column);
    column->addStretch(1);
    auto* scroll = new QScrollArea;
    scroll->setObjectName(QStringLiteral("seenSamplesScrollArea"));
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(1, 1, 1, 1);
    whole->addWidget(scroll);
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &SeenSamplesPanel::read);
    connect(&run, &RunModel::restarted, this, &SeenSamplesPanel::restart);
    connect(&run, &RunModel::changed, this, [this](unsigned changes) {
        if ((changes & (kConsumedChanged | kEndChanged | kRunStartedChanged)) == 0 || !isVisible()) return;
        showStep();
        if (changes & kEndChanged) m_later.start(0);
        if (!m_later.isActive() && !m_work.isBusy()) m_later.start(m_samples ? kBetweenReads : std::chrono::seconds(0));
    });
    connect(&theme, &Theme::changed, this, [this] {
        if (m_samples) showSamples(SeenSamples(*m_samples));
    });
    restart();
    hide();
}

void SeenSamplesPanel::addTable(QVBoxLayout& column) {
    m_table = new QTableView;
    m_table->setObjectName(QStringLiteral("auditTable"));
    m_table->setAccessibleName(tr("Samples by epoch and rank"));
    m_table->setToolTip(
        tr("Assigned: number of samples that all ranks have used, with repetitions. Distinct: number of different "
           "samples. Twice: number of repeated uses. Never: number of samples that no rank has used."));
    m_table->setModel(&m_model);
    m_table->verticalHeader()->hide();
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_table->setShowGrid(false);
    m_table->setItemDelegate(new TableCells(TableCells::Numbers::Right, m_table));
    column.addWidget(m_table);
}

void SeenSamplesPanel::addStep(QVBoxLayout& column) {
    m_stepTitle = titleLabel({});
    m_stepTitle->setObjectName(QStringLiteral("stepSamplesLabel"));
    column.addWidget(m_stepTitle);
    m_planText = new WrappedText;
    m_planText->setObjectName(QStringLiteral("planComparedLabel"));
    m_planText->setProperty("role", "muted");
    m_planText->setTextFormat(Qt::PlainText);
    column.addWidget(m_planText);
    column.addWidget(m_cells);
}

void SeenSamplesPanel::restart() {
    m_work.cancel();
    m_later.stop();
    m_samples.reset();
    m_step.reset();
    m_wasOver = false;
    m_model.setTable({});
    m_table->hide();
    m_lines->setText(tr("Counting the samples"));
    m_planText->clear();
    showStep();
}

void SeenSamplesPanel::setStep(std::optional<qint64> step) {
    m_step = step;
    showStep();
}

void SeenSamplesPanel::showEvent(QShowEvent* event) {
    QFrame::showEvent(event);
    showStep();
    const bool isDone = m_samples && m_wasOver;
    if (!isDone && !m_work.isBusy()) m_later.start(0);
}

void SeenSamplesPanel::read() {
    if (m_run.directory().isEmpty() || !m_run.data().started()) return;
    const bool isOver = m_run.data().ended().has_value();
    m_work.requestLatest(
        this,
        [path = std::filesystem::path(m_run.directory().toStdString()), isOver](const LatestWork::Stop& stop) {
            return readSeenSamples(path, isOver, stop);
        },
        [this, isOver](const SeenSamples& samples) {
            m_wasOver = isOver;
            showSamples(samples);
        });
}

void SeenSamplesPanel::showSamples(const SeenSamples& samples) {
    m_samples = samples;
    QStringList lines;
    for (const SamplesLine& line : samples.audit ? samples.audit->lines : std::vector<SamplesLine>())
        lines << lineText(line, m_theme.colors());
    if (!samples.problem.isEmpty()) lines << samples.problem.toHtmlEscaped();
    if (lines.isEmpty()) lines << tr("No sample was seen: the script reads no DataLoader whose indices are known.");
    m_lines->setText(lines.join(QStringLiteral("<br>")));
    showTable();
    m_planText->setText(planSentence(samples));
    showStep();
}

TableData SeenSamplesPanel::table() const {
    return m_samples && m_samples->audit ? auditTable(*m_samples->audit) : TableData{};
}

void SeenSamplesPanel::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    if (m_samples) showTable();
}

// Shows the table with all columns. If there is too little room for the last column, shows the narrow table.
void SeenSamplesPanel::showTable() {
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_model.setTable(table());
    const int last = m_model.columnCount() - 1;
    int room = m_table->viewport()->width() - kMinRemark;
    for (int column = 0; column < last; ++column) room -= header->sectionSize(column);
    if (room < 0 && last > 0) m_model.setTable(narrowAuditTable(*m_samples->audit));
    // The last column, the remark, takes the width that remains. A tooltip contains its complete text.
    if (last > 0) header->setSectionResizeMode(m_model.columnCount() - 1, QHeaderView::Stretch);
    fitTable();
}

// Makes the table as high as its rows, up to kMaxTableRows.
void SeenSamplesPanel::fitTable() {
    const int rows = std::min(kMaxTableRows, m_model.rowCount());
    m_table->setVisible(rows > 0);
    const int bar = m_table->horizontalScrollBar()->sizeHint().height();
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() +
                            rows * m_table->verticalHeader()->defaultSectionSize() + bar + 2 * m_table->frameWidth());
}

void SeenSamplesPanel::showStep() {
    const std::int64_t loader = m_samples ? m_samples->loader : 0;
    const std::optional<std::int64_t> step =
        m_step ? std::optional<std::int64_t>(*m_step) : latestSeenStep(m_run.data(), loader);
    m_stepTitle->setVisible(step.has_value());
    m_planText->setVisible(step.has_value() && m_samples);
    m_cells->setVisible(step.has_value());
    if (!step) return;
    m_stepTitle->setText(tr("Samples of step %1").arg(groupedText(*step)));
    const bool isFast = m_samples && m_samples->plan && m_samples->plan->datasetSize <= kInstantSamples;
    m_cells->setRows(samplesOfStep(m_run.data(), *step, loader, isFast ? m_samples->plan : std::nullopt));
}

}  // namespace ringside
