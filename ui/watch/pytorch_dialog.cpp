// SPDX-License-Identifier: GPL-3.0-or-later
#include "watch/pytorch_dialog.h"

#include <QClipboard>
#include <QDir>
#include <QFileInfo>
#include <QFormLayout>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <algorithm>
#include <climits>

#include "controls/tone.h"
#include "controls/wrapped_text.h"
#include "settings/settings.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "watch/interpreters.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr TypePixels kPytorchWidth{620};

void nameControl(QWidget* control, const char* name, const QString& spoken, const QString& tip) {
    control->setObjectName(QLatin1String(name));
    control->setAccessibleName(spoken);
    control->setToolTip(tip);
}

QString stageText(PytorchComparison::Stage stage) {
    using enum PytorchComparison::Stage;
    switch (stage) {
        case kInterpreter:
            return PytorchDialog::tr("Looking for PyTorch in the interpreter");
        case kRingside:
            return PytorchDialog::tr("Ringside trains the experiment");
        case kExport:
            return PytorchDialog::tr("Writing the experiment as a PyTorch script");
        case kPytorch:
            return PytorchDialog::tr("PyTorch trains the experiment, and Ringside watches it");
        case kCompare:
            return PytorchDialog::tr("Comparing losses, samples and weights");
    }
    return {};
}

const char* toneOf(PytorchOutcome::Result result) {
    using enum PytorchOutcome::Result;
    return result == kEqual ? "good" : result == kDifferent ? "danger" : "warning";
}

}  // namespace

PytorchDialog::PytorchDialog(const QString& controlProgram, Settings& settings, const Theme& theme, QWidget* parent)
    : QDialog(parent),
      m_settings(settings),
      m_theme(theme),
      m_comparison(controlProgram),
      m_about(new WrappedText(this)),
      m_interpreter(new QComboBox(this)),
      m_stage(new WrappedText(this)),
      m_progress(new QProgressBar(this)),
      m_headline(new WrappedText(this)),
      m_lines(new WrappedText(this)),
      m_start(new QPushButton(tr("Compare"), this)),
      m_cancel(new QPushButton(tr("Cancel"), this)),
      m_open(new QPushButton(tr("Show PyTorch's run"), this)),
      m_copy(new QPushButton(tr("Copy"), this)),
      m_close(new QPushButton(tr("Close"), this)) {
    setObjectName(QStringLiteral("pytorchDialog"));
    setWindowTitle(tr("Compare with PyTorch"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace4, Theme::kSpace4, Theme::kSpace4);
    column->setSpacing(Theme::kSpace3);
    addFields(*column);
    addResult(*column);
    column->addStretch(1);
    addButtons(*column);
    connect(&m_comparison, &PytorchComparison::progressed, this, &PytorchDialog::showProgress);
    connect(&m_comparison, &PytorchComparison::failed, this, &PytorchDialog::showFailure);
    connect(&m_comparison, &PytorchComparison::finished, this, &PytorchDialog::showOutcome);
    connect(&theme, &Theme::changed, this, &PytorchDialog::showLines);
    refreshButtons();
    resize(kPytorchWidth, sizeHint().height());
}

void PytorchDialog::addFields(QVBoxLayout& column) {
    m_about->setObjectName(QStringLiteral("pytorchAboutLabel"));
    m_about->setProperty("role", "muted");
    m_about->setTextFormat(Qt::PlainText);
    column.addWidget(m_about);
    auto* form = new QFormLayout;
    form->setHorizontalSpacing(Theme::kSpace3);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    nameControl(m_interpreter, "pytorchInterpreterCombo", tr("Python interpreter with PyTorch"),
                tr("Python with PyTorch 2.0 or newer that trains the exported script: choose one or enter its path"));
    m_interpreter->setEditable(true);
    m_interpreter->setInsertPolicy(QComboBox::NoInsert);
    m_interpreter->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    QStringList known{m_settings.get(settings::kPytorchPython), m_settings.get(settings::kLastWatch).value(2)};
    known << interpretersFor(QDir::current().filePath(QStringLiteral("train.py")), interpreterPlaces());
    known.removeAll(QString());
    known.removeDuplicates();
    m_interpreter->addItems(known);
    form->addRow(tr("Interpreter"), m_interpreter);
    column.addLayout(form);
}

void PytorchDialog::addResult(QVBoxLayout& column) {
    m_stage->setObjectName(QStringLiteral("pytorchStageLabel"));
    m_stage->setTextFormat(Qt::PlainText);
    m_stage->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column.addWidget(m_stage);
    m_progress->setObjectName(QStringLiteral("pytorchProgressBar"));
    m_progress->setAccessibleName(tr("Progress of the comparison"));
    m_progress->setTextVisible(false);
    m_progress->hide();
    column.addWidget(m_progress);
    m_headline->setObjectName(QStringLiteral("pytorchHeadlineLabel"));
    m_headline->setProperty("role", "title");
    m_headline->hide();
    column.addWidget(m_headline);
    m_lines->setObjectName(QStringLiteral("pytorchLinesLabel"));
    m_lines->setTextFormat(Qt::RichText);
    m_lines->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_lines->hide();
    column.addWidget(m_lines);
}

void PytorchDialog::addButtons(QVBoxLayout& column) {
    nameControl(m_start, "pytorchStartButton", m_start->text(),
                tr("Train the experiment with PyTorch, and compare both runs"));
    nameControl(m_cancel, "pytorchCancelButton", m_cancel->text(), tr("End the comparison and remove its files"));
    nameControl(m_open, "pytorchShowRunButton", m_open->text(),
                tr("Show the watched PyTorch run in the window, in place of the current run"));
    nameControl(m_copy, "pytorchCopyButton", m_copy->text(), tr("Copy the result as text"));
    nameControl(m_close, "pytorchCloseButton", m_close->text(),
                tr("Close this dialog. The result is still here when you open the dialog again."));
    m_start->setProperty("role", "accent");
    auto* line = new QHBoxLayout;
    line->setSpacing(Theme::kSpace2);
    line->addStretch(1);
    for (QPushButton* button : {m_copy, m_open, m_cancel, m_close, m_start}) line->addWidget(button);
    column.addLayout(line);
    connect(m_start, &QPushButton::clicked, this, &PytorchDialog::start);
    connect(m_cancel, &QPushButton::clicked, this, &PytorchDialog::cancel);
    connect(m_close, &QPushButton::clicked, this, &QDialog::close);
    connect(m_open, &QPushButton::clicked, this, [this] {
        if (m_outcome) Q_EMIT runWanted(QString::fromStdString(m_outcome->runs.watched.string()));
    });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        if (m_outcome) QGuiApplication::clipboard()->setText(m_outcome->text());
    });
}

void PytorchDialog::setExperiment(const Experiment& experiment) {
    if (isRunning()) return;
    m_experiment = experiment;
    const QString name = QString::fromStdString(experiment.config.name);
    m_about->setText(experiment.ownRun.isEmpty()
                         ? tr("Ringside trains %1, exports it as a PyTorch script, watches the script, and compares "
                              "losses, samples and weights.")
                               .arg(name)
                         : tr("The run %1 of %2 is compared with PyTorch: Ringside exports the experiment as a "
                              "script, watches it, and compares losses, samples and weights.")
                               .arg(QFileInfo(experiment.ownRun).fileName(), name));
}

void PytorchDialog::start() {
    if (isRunning()) return;
    const QString interpreter = m_interpreter->currentText().trimmed();
    m_outcome.reset();
    m_headline->hide();
    m_lines->hide();
    m_stage->show();
    if (interpreter.isEmpty()) return showFailure(tr("Choose a Python interpreter with PyTorch."));
    m_settings.set(settings::kPytorchPython, interpreter);
    m_comparison.start({m_experiment.config, m_experiment.ownRun, interpreter});
    refreshButtons();
}

void PytorchDialog::showProgress(PytorchComparison::Stage stage, qint64 step, qint64 steps) {
    setTone(m_stage, "");
    m_stage->setText(step == 0 ? stageText(stage)
                     : steps == 0
                         ? tr("%1: step %2").arg(stageText(stage), groupedText(step))
                         : tr("%1: step %2 of %3").arg(stageText(stage), groupedText(step), groupedText(steps)));
    m_progress->show();
    m_progress->setRange(0, step == 0 ? 0 : static_cast<int>(std::min<qint64>(steps, INT_MAX)));
    m_progress->setValue(static_cast<int>(std::min<qint64>(step, INT_MAX)));
    refreshButtons();
}

void PytorchDialog::showFailure(const QString& sentence) {
    setTone(m_stage, "danger");
    m_stage->setText(sentence);
    m_progress->hide();
    refreshButtons();
}

void PytorchDialog::showOutcome(const PytorchOutcome& outcome) {
    m_outcome = outcome;
    setTone(m_stage, "");
    m_stage->hide();
    m_progress->hide();
    m_headline->setText(outcome.headline);
    setTone(m_headline, toneOf(outcome.result));
    m_headline->show();
    m_lines->show();
    showLines();
    refreshButtons();
    adjustSize();
    resize(kPytorchWidth, std::max(height(), sizeHint().height()));
}

void PytorchDialog::showLines() {
    if (!m_outcome) return;
    const ThemeColors& colors = m_theme.colors();
    QStringList lines;
    for (const PytorchOutcome::Line& line : m_outcome->lines) {
        using enum PytorchOutcome::Result;
        const bool isEqual = line.result == kEqual, isDifferent = line.result == kDifferent;
        const QColor color = isEqual ? colors.goodText : isDifferent ? colors.danger : colors.muted;
        const QChar mark = isEqual ? QChar(0x2713) : isDifferent ? QChar(0x2717) : QChar(0x2022);
        lines << QStringLiteral("<span style='color:%1'>%2</span> <b>%3:</b> %4")
                     .arg(color.name(), mark, line.label.toHtmlEscaped(), line.text.toHtmlEscaped());
    }
    const QString folder = QFileInfo(m_comparison.outputFile()).absolutePath();
    lines << QStringLiteral("<span style='color:%1'>%2</span>")
                 .arg(colors.muted.name(),
                      (m_experiment.ownRun.isEmpty() ? tr("The script, its output and both runs are in %1")
                                                     : tr("The script, its output and PyTorch's run are in %1"))
                          .arg(folder)
                          .toHtmlEscaped());
    m_lines->setText(lines.join(QStringLiteral("<br>")));
}

void PytorchDialog::cancel() {
    m_comparison.cancel();
    m_progress->hide();
    setTone(m_stage, "");
    m_stage->setText(tr("The comparison was cancelled. Its processes are being ended."));
    refreshButtons();
}

void PytorchDialog::refreshButtons() {
    const bool isRunning = this->isRunning();
    m_start->setVisible(!isRunning);
    m_cancel->setVisible(isRunning);
    m_close->setVisible(!isRunning);
    m_interpreter->setEnabled(!isRunning);
    m_open->setVisible(m_outcome.has_value());
    m_copy->setVisible(m_outcome.has_value());
    m_start->setText(m_outcome ? tr("Compare again") : tr("Compare"));
}

}  // namespace ringside
