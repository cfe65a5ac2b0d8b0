// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/import_dialog.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "controls/elided_label.h"
#include "controls/tone.h"
#include "dialogs/dialogs.h"
#include "import/import_questions.h"
#include "import/import_sentences.h"
#include "import/picture_row.h"
#include "tables/table_cells.h"
#include "theme/dialog_size.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr QSize kSize{680, 520};
constexpr int kSamplesHeight = 210;
constexpr TypePixels kRowHeight{24};
constexpr int kWidestColumn = 220;
// number of columns of the preview whose width is fitted to their texts; further columns get the default width, to save
// time
constexpr int kMeasuredColumns = 100;
// images with a longer side are scaled to this side length in pixels, unless the user chooses another one
constexpr std::int64_t kLargeSide = 64;

QLabel* makeLabel(const char* name, const char* role, QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setObjectName(QString::fromLatin1(name));
    label->setProperty("role", role);
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

}  // namespace

ImportDialog::ImportDialog(Theme& theme, Dialogs& dialogs, QWidget* parent)
    : QDialog(parent), m_theme(theme), m_dialogs(dialogs) {
    setObjectName(QStringLiteral("importDialog"));
    setWindowTitle(tr("Use data"));
    resizeDialog(*this, kSize);
    buildLayout();
    restyle();
    connect(&theme, &Theme::changed, this, &ImportDialog::restyle);
    connect(&m_job, &ImportJob::previewReady, this, &ImportDialog::showPreview);
    connect(&m_job, &ImportJob::checked, this, &ImportDialog::showCheck);
    connect(this, &QDialog::finished, this, [this] {
        m_job.stop();
        m_data.reset();  // frees the memory of the loaded data set
    });
    connect(m_questions, &ImportQuestions::choicesChanged, this, [this] {
        m_questions->writeChoices(m_choices);
        previewNow();
    });
    connect(m_questions, &ImportQuestions::browseRequested, this, [this] {
        m_dialogs.openFile(tr("Choose the file with the labels"),
                           QFileInfo(QString::fromStdString(m_choices.path)).absolutePath(), tr("All files (*)"),
                           [this](const QString& path) {
                               if (!path.isEmpty()) m_questions->setLabelsPath(path);
                           });
    });
}

void ImportDialog::buildLayout() {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace4, Theme::kSpace4, Theme::kSpace4);
    column->setSpacing(Theme::kSpace2);
    m_kind = makeLabel("importKindLabel", "title", this);
    m_file = new ElidedLabel(this, Qt::ElideMiddle);
    m_file->setObjectName(QStringLiteral("importFileLabel"));
    m_file->setProperty("role", "muted");
    m_summary = makeLabel("importSummaryLabel", "body", this);
    m_questions = new ImportQuestions(this);
    m_questions->setObjectName(QStringLiteral("importQuestions"));
    m_progress = new QProgressBar(this);
    m_progress->setObjectName(QStringLiteral("importProgressBar"));
    m_progress->setAccessibleName(tr("Reading"));
    m_progress->setRange(0, 0);
    m_progress->setTextVisible(false);
    m_status = makeLabel("importStatusLabel", "note", this);
    column->addWidget(m_kind);
    column->addWidget(m_file);
    column->addWidget(m_summary);
    column->addWidget(makeSamples(), 1);
    column->addWidget(m_questions);
    column->addWidget(m_status);
    column->addWidget(m_progress);
    column->addWidget(makeButtons());
}

QWidget* ImportDialog::makeSamples() {
    auto* samples = new QWidget(this);
    samples->setMinimumHeight(kSamplesHeight);
    auto* inside = new QVBoxLayout(samples);
    inside->setContentsMargins(0, 0, 0, 0);
    m_table = new QTableView(samples);
    m_table->setObjectName(QStringLiteral("importTableView"));
    m_table->setAccessibleName(tr("First rows of the file"));
    m_table->setModel(&m_rows);
    m_table->setItemDelegate(new TableCells(TableCells::Numbers::Right, m_table));
    m_table->setSelectionMode(QAbstractItemView::NoSelection);
    m_table->setFocusPolicy(Qt::NoFocus);
    m_table->setShowGrid(false);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->horizontalHeader()->setSectionsClickable(true);
    m_table->horizontalHeader()->setMaximumSectionSize(kWidestColumn);
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_pictures = new PictureRow(m_theme, samples);
    inside->addWidget(m_table);
    inside->addWidget(m_pictures);
    connect(m_table->horizontalHeader(), &QHeaderView::sectionClicked, this,
            [this](int section) { m_questions->chooseLabel(section); });
    return samples;
}

QWidget* ImportDialog::makeButtons() {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, Theme::kSpace1, 0, 0);
    auto* cancel = new QPushButton(tr("Cancel"), row);
    cancel->setObjectName(QStringLiteral("importCancelButton"));
    cancel->setToolTip(tr("Close without changing the experiment (Esc)"));
    cancel->setAutoDefault(false);
    m_use = new QPushButton(tr("Use this data"), row);
    m_use->setObjectName(QStringLiteral("importUseButton"));
    m_use->setProperty("role", "accent");
    m_use->setDefault(true);
    line->addStretch(1);
    line->addWidget(cancel);
    line->addWidget(m_use);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_use, &QPushButton::clicked, this, &ImportDialog::useData);
    return row;
}

void ImportDialog::readFile(const QString& path, const DatasetConfig& base) {
    const DatasetConfig defaults;
    const bool known = base.path == path.toStdString();
    m_choices = base;
    m_choices.path = path.toStdString();
    if (!known) {
        m_choices.kind = defaults.kind;  // the kind of the data is not a choice, because it is detected from the file
        m_choices.labelColumn = defaults.labelColumn;
        m_choices.header = defaults.header;
        m_choices.missing = defaults.missing;
        m_choices.labelsPath = defaults.labelsPath;
        m_choices.imageSize = defaults.imageSize;
    }
    m_suggested = known;
    m_questions->showLess();
    m_file->setWhole(path);
    m_preview.reset();
    previewNow();
}

void ImportDialog::previewNow() {
    m_busy = true;
    m_data.reset();
    m_problem.clear();
    m_job.loadPreview(m_choices);
    refresh();
}

// Chooses settings with which the file can be used at once. Rows with a missing value: omits them if they are at most
// half of the rows; otherwise replaces missing values by the mean. Images with a side above kLargeSide: scales them to
// this side length.
bool ImportDialog::suggest(const DataPreview& preview) {
    m_suggested = true;
    const DatasetConfig before = m_choices;
    if (preview.rowsWithMissing > 0) {
        m_choices.missing =
            2 * preview.rowsWithMissing <= preview.sampleCount ? MissingCells::kDrop : MissingCells::kMean;
    }
    if (std::max(preview.firstImage.width, preview.firstImage.height) > kLargeSide) m_choices.imageSize = kLargeSide;
    return m_choices != before;
}

void ImportDialog::showPreview(const Result<DataPreview>& preview) {
    m_busy = false;
    if (!preview) {
        m_problem = inFormWords(QString::fromStdString(preview.problem().text()));
        return refresh();
    }
    const QString path = m_file->text();
    if (preview.value().found != DataPreview::Found::kData) {
        reject();
        if (preview.value().found == DataPreview::Found::kRunDirectory)
            Q_EMIT runDirectoryChosen(path);
        else
            Q_EMIT experimentFound(path);
        return;
    }
    m_preview = preview.value();
    if (!m_suggested && suggest(*m_preview)) return previewNow();
    m_questions->show(*m_preview);
    showRows();
    if (m_preview->notes.empty()) {
        m_busy = true;
        m_job.check(chosenDataset(), {m_theme.colors().panel, m_theme.colors().text});
    }
    refresh();
}

void ImportDialog::showRows() {
    m_rows.setPreview(*m_preview);
    QHeaderView* header = m_table->horizontalHeader();
    const bool isText = m_preview->dataset.kind == DatasetKind::kText;
    header->setMaximumSectionSize(isText ? -1 : kWidestColumn);
    header->setStretchLastSection(isText);
    header->setVisible(!isText);
    if (m_rows.columnCount() <= kMeasuredColumns) m_table->resizeColumnsToContents();
    if (m_rows.labelColumn() >= 0) m_table->scrollTo(m_rows.index(0, m_rows.labelColumn()));
}

void ImportDialog::showCheck(const Result<CheckedData>& checked) {
    m_busy = false;
    if (checked)
        m_data = checked.value();
    else
        m_problem = inFormWords(QString::fromStdString(checked.problem().text()));
    refresh();
}

// Returns the data settings of an experiment with this file and the choices in this dialog.
DatasetConfig ImportDialog::chosenDataset() const {
    DatasetConfig config = m_choices;
    const DatasetConfig& found = m_preview->dataset;
    config.kind = found.kind;
    config.path = m_choices.path;
    config.labelColumn = found.labelColumn;
    return config;
}

QString ImportDialog::whyNotUsable() const {
    if (!m_problem.isEmpty()) return m_problem;
    if (!m_preview) return tr("The file is being read.");
    if (!m_preview->notes.empty()) return inFormWords(QString::fromStdString(m_preview->notes.front()));
    return {};
}

QString ImportDialog::statusText() const {
    if (!m_preview && m_busy) return tr("Reading the file...");
    const QString reason = whyNotUsable();
    if (!reason.isEmpty()) return reason;
    if (!m_data) return tr("Reading the rest of the file. You can use the data now.");
    const bool later = m_preview->dataset.kind == DatasetKind::kImageFolder;
    QString text = (later ? tr("Each image is read when it is needed. Found %1.") : tr("Complete: %1."))
                       .arg(QString::fromStdString(m_data->split.summary));
    if (m_preview->dataset.kind != DatasetKind::kCsv && !m_data->classes.empty())
        text += QLatin1Char(' ') + classesSentence(m_data->classes);
    return text;
}

void ImportDialog::refresh() {
    const QString reason = whyNotUsable();
    const QString file = QFileInfo(m_file->text()).fileName();
    m_kind->setText(m_preview ? tr("%1: %2").arg(file, kindTitle(*m_preview)) : file);
    m_summary->setText(m_preview ? previewSentence(*m_preview) : QString());
    m_questions->setVisible(m_preview.has_value());
    m_use->setEnabled(reason.isEmpty());
    m_use->setToolTip(reason.isEmpty() ? tr("Use this data in the experiment (Enter). You can undo this.") : reason);
    m_progress->setVisible(m_busy);
    m_status->setText(statusText());
    setTone(m_status, m_data ? "good" : m_busy ? "" : "danger");
    refreshSamples();
    if (reason.isEmpty() && !m_questions->isAncestorOf(focusWidget())) m_use->setFocus();
}

void ImportDialog::refreshSamples() {
    const bool table = m_preview && !m_preview->columns.empty();
    m_table->setVisible(table);
    m_pictures->setVisible(!table);
    m_pictures->setPictures(m_data ? m_data->pictures : std::vector<SamplePicture>());
}

void ImportDialog::restyle() {
    m_rows.setColors(m_theme.colors().accentSoft, m_theme.colors().warningText);
}

void ImportDialog::useData() {
    if (!whyNotUsable().isEmpty()) return;
    const DatasetConfig config = chosenDataset();
    const bool same = m_data && m_data->config == config;
    Q_EMIT used(config, same ? m_data : std::nullopt);
    accept();
}

}  // namespace ringside
