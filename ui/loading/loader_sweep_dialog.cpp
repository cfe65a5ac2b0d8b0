// SPDX-License-Identifier: GPL-3.0-or-later
#include "loading/loader_sweep_dialog.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <cmath>

#include "controls/wrapped_text.h"
#include "models/experiment_model.h"
#include "theme/theme.h"
#include "words/field_text.h"

namespace ringside {
namespace {

constexpr int kWidth = 480;
constexpr int kChartHeight = 220;

}  // namespace

LoaderSweepDialog::LoaderSweepDialog(ExperimentModel& model, Theme& theme, const QString& controlProgram,
                                     QWidget* parent)
    : QDialog(parent),
      m_model(model),
      m_theme(theme),
      m_chart(new ChartPanel(tr("Samples per second, all ranks"), QStringLiteral("loaderSweep"), theme, this)),
      m_status(new WrappedText(this)),
      m_use(new QPushButton(tr("Use"), this)),
      m_close(new QPushButton(tr("Cancel"), this)),
      m_process(controlProgram) {
    setObjectName(QStringLiteral("loaderSweepDialog"));
    setWindowTitle(tr("Find num_workers"));
    setAttribute(Qt::WA_DeleteOnClose);
    buildLayout();
    connect(&m_process, &LoaderSweepProcess::sweepStarted, this,
            [this](const QString& what) { m_status->setText(tr("%1. Measuring...").arg(what)); });
    connect(&m_process, &LoaderSweepProcess::measured, this, &LoaderSweepDialog::addRate);
    connect(&m_process, &LoaderSweepProcess::advised, this, &LoaderSweepDialog::showAdvice);
    connect(&m_process, &LoaderSweepProcess::failed, this, [this](const QString& reason) {
        m_status->setText(reason);
        m_close->setText(tr("Close"));
    });
    connect(&m_theme, &Theme::changed, this, &LoaderSweepDialog::showCurve);
    m_process.start(model.resolvedConfig());
}

void LoaderSweepDialog::buildLayout() {
    m_chart->chart().setYFromZero(true);
    m_chart->chart().setStyles(NumberStyle::Whole, NumberStyle::Plain);
    m_chart->chart().setXText([](double x) { return tr("%1 workers").arg(std::lround(x)); });
    m_chart->setMinimumSize(kWidth, kChartHeight);
    m_chart->legend().hide();  // there is only one curve
    auto* note = new WrappedText(this);
    note->setText(
        tr("Ringside loads the batches of all ranks at the same time and discards them, for 2 s with each number of "
           "workers. Nothing is trained."));
    note->setProperty("role", "note");
    m_status->setObjectName(QStringLiteral("loaderSweepStatusLabel"));
    m_status->setText(tr("Opening the data..."));
    m_use->setObjectName(QStringLiteral("useWorkersButton"));
    m_use->setToolTip(tr("Use this number of workers in the experiment"));
    m_use->setProperty("role", "accent");
    m_use->setEnabled(false);
    m_close->setObjectName(QStringLiteral("closeSweepButton"));
    m_close->setToolTip(tr("Stop measuring and close"));
    auto* buttons = new QHBoxLayout;
    buttons->addStretch(1);
    buttons->addWidget(m_close);
    buttons->addWidget(m_use);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Theme::kSpace4, Theme::kSpace4, Theme::kSpace4, Theme::kSpace4);
    column->setSpacing(Theme::kSpace3);
    column->addWidget(note);
    column->addWidget(m_chart, 1);
    column->addWidget(m_status);
    column->addLayout(buttons);
    connect(m_use, &QPushButton::clicked, this, &LoaderSweepDialog::useAdvice);
    connect(m_close, &QPushButton::clicked, this, &QDialog::close);
}

void LoaderSweepDialog::addRate(const LoaderRate& rate) {
    m_rates.push_back(rate);
    m_status->setText(tr("%1 workers: %2 samples/s, %3 ms per batch. Measuring...")
                          .arg(rate.numWorkers)
                          .arg(groupedText(std::llround(rate.samplesPerSecond())))
                          .arg(rate.loadMsPerBatch(), 0, 'f', rate.loadMsPerBatch() < 10 ? 2 : 0));
    showCurve();
}

void LoaderSweepDialog::showCurve() {
    Curve curve{.key = QStringLiteral("samplesPerSecond"),
                .name = tr("samples/s"),
                .color = m_theme.colors().accent,
                .kind = Curve::Kind::MarkedLine,
                .points = {}};
    for (const LoaderRate& rate : m_rates)
        curve.points.push_back({.x = static_cast<double>(rate.numWorkers), .y = rate.samplesPerSecond()});
    if (curve.points.empty()) return;
    m_chart->setCurves({curve}, wholeRange({curve}));
}

void LoaderSweepDialog::showAdvice(const LoaderAdvice& advice) {
    m_advised = advice.numWorkers;
    m_status->setText(QString::fromStdString(advice.text) + QLatin1Char('.'));
    m_use->setText(tr("Use %1").arg(advice.numWorkers));
    m_use->setEnabled(true);
    m_use->setDefault(true);
    m_use->setFocus();
    m_close->setText(tr("Close"));
}

void LoaderSweepDialog::useAdvice() {
    RunConfig next = m_model.config();
    next.loader.numWorkers = m_advised;
    if (m_advised == 0) {  // without workers, the two settings below must have their default values
        next.loader.prefetchFactor = LoaderConfig().prefetchFactor;
        next.loader.persistentWorkers = false;
    }
    m_model.edit(next, QStringLiteral("loader.num_workers"));
    close();
}

}  // namespace ringside
