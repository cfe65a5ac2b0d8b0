// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/model_summary_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include "models/experiment_model.h"
#include "tables/table_cells.h"
#include "theme/dialog_size.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr QSize kSize{760, 460};
constexpr TypePixels kRowHeight{24};

}  // namespace

ModelSummaryDialog::ModelSummaryDialog(ExperimentModel& model, QWidget* parent) : QDialog(parent), m_model(model) {
    setObjectName(QStringLiteral("modelSummaryDialog"));
    setWindowTitle(tr("Layers of the model"));
    setAttribute(Qt::WA_DeleteOnClose);
    buildLayout();
    resizeDialog(*this, kSize);
    connect(&model, &ExperimentModel::configChanged, this, &ModelSummaryDialog::refresh);
    refresh();
}

void ModelSummaryDialog::buildLayout() {
    m_table = new QTableView(this);
    m_table->setObjectName(QStringLiteral("modelSummaryTableView"));
    m_table->setAccessibleName(tr("Layers of the model"));
    m_table->setModel(&m_rows);
    m_table->setItemDelegate(new TableCells(TableCells::Numbers::Right, m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_table->horizontalHeader()->setHighlightSections(false);
    m_table->viewport()->installEventFilter(this);
    m_notes = new QLabel(this);
    m_notes->setObjectName(QStringLiteral("modelSummaryNotesLabel"));
    m_notes->setProperty("role", "note");
    m_notes->setWordWrap(true);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace4, Theme::kSpace4, Theme::kSpace4);
    column->setSpacing(Theme::kSpace3);
    column->addWidget(m_table, 1);
    column->addWidget(m_notes);
    column->addWidget(makeButtons());
}

QWidget* ModelSummaryDialog::makeButtons() {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    m_copy = new QPushButton(tr("Copy as text"), row);
    m_copy->setObjectName(QStringLiteral("copySummaryButton"));
    m_copy->setToolTip(tr("Copy the table to the clipboard, as ringsidectl config --summary prints it"));
    m_copy->setAutoDefault(false);
    auto* close = new QPushButton(tr("Close"), row);
    close->setObjectName(QStringLiteral("closeSummaryButton"));
    close->setToolTip(tr("Close this window (Esc)"));
    close->setDefault(true);
    line->addWidget(m_copy);
    line->addStretch(1);
    line->addWidget(close);
    connect(m_copy, &QPushButton::clicked, this, &ModelSummaryDialog::copy);
    connect(close, &QPushButton::clicked, this, &QDialog::close);
    return row;
}

// Computes the summary on the GUI thread: even the deepest model takes less than a millisecond.
void ModelSummaryDialog::refresh() {
    const DataSplit* split = m_model.data();
    if (split == nullptr)
        return showReason(m_model.isLoadingData()
                              ? tr("The data set is being loaded.")
                              : tr("The layer sizes depend on the data set, which could not be read."));
    // Shows a problem of the model section instead of the summary.
    for (const Problem& problem : m_model.config().validate()) {
        if (problem.field.starts_with("model.")) return showReason(inFormWords(QString::fromStdString(problem.text())));
    }
    const Result<ModelDescription> described = describeModel(m_model.config().model, *split->training);
    if (!described) return showReason(inFormWords(QString::fromStdString(described.problem().text())));
    showSummary(summarizeModel(described.value(), m_model.config()));
}

void ModelSummaryDialog::showSummary(const ModelSummary& summary) {
    m_summary = summary;
    m_rows.setRows(summary.rows);
    fitColumns();
    QStringList notes;
    for (const std::string& note : summary.notes) notes << QString::fromStdString(note);
    m_notes->setText(notes.join(QLatin1Char('\n')));
    m_copy->setEnabled(true);
}

// Makes each column as wide as its texts. The column with the layers' names gets the remaining width. If the columns do
// not fit, the table scrolls horizontally.
void ModelSummaryDialog::fitColumns() {
    m_table->resizeColumnsToContents();
    const int rest = m_table->viewport()->width() - m_table->horizontalHeader()->length();
    if (rest > 0)
        m_table->setColumnWidth(ModelSummaryTable::Layer, m_table->columnWidth(ModelSummaryTable::Layer) + rest);
}

// Fits the columns when the table's viewport is resized, because the layout sets the width of the table only after the
// dialog has been resized or shown.
bool ModelSummaryDialog::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_table->viewport() && event->type() == QEvent::Resize) fitColumns();
    return QDialog::eventFilter(watched, event);
}

void ModelSummaryDialog::showReason(const QString& whyNothing) {
    m_summary = {};
    m_rows.setRows({});
    m_notes->setText(whyNothing);
    m_copy->setEnabled(false);
}

void ModelSummaryDialog::copy() const {
    QApplication::clipboard()->setText(QString::fromStdString(summaryText(m_summary)));
}

}  // namespace ringside
