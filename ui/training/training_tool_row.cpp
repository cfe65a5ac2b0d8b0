// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/training_tool_row.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QMenu>
#include <QPushButton>

#include "controls/seek_slider.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kSmoothingSteps = 100;  // the slider's: hundredths of the weight
constexpr int kDefaultSmoothing = 60;
constexpr int kSliderWidth = 110;
constexpr int kValueWidth = 32;

}  // namespace

TrainingToolRow::TrainingToolRow(QWidget* parent)
    : QWidget(parent),
      m_smoothing(makeSlider()),
      m_smoothingValue(new QLabel),
      m_axis(makeAxis()),
      m_logY(makeSwitch(tr("Log y"), "logYCheckBox", tr("Logarithmic y axis for loss and gradient norm"))),
      m_fanOut(makeSwitch(tr("Fan out by rank"), "fanOutCheckBox",
                          tr("One curve for each rank instead of the mean and its band"))),
      m_note(new QLabel) {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(Theme::kSpace2, 0, 0, 0);
    layout->setSpacing(Theme::kSpace2);
    auto* label = new QLabel(tr("Smoothing"));
    label->setProperty("role", "muted");
    m_smoothingValue->setMinimumWidth(kValueWidth);
    m_note->setProperty("role", "note");
    m_note->setObjectName(QStringLiteral("exportNoteLabel"));
    layout->addWidget(label);
    layout->addWidget(m_smoothing);
    layout->addWidget(m_smoothingValue);
    layout->addSpacing(Theme::kSpace2);
    layout->addWidget(m_axis);
    layout->addSpacing(Theme::kSpace2);
    layout->addWidget(m_logY);
    layout->addSpacing(Theme::kSpace1);
    layout->addWidget(m_fanOut);
    layout->addStretch(1);
    layout->addWidget(m_note);
    layout->addWidget(makeExportButton());
    showSmoothing();
}

QSlider* TrainingToolRow::makeSlider() {
    auto* slider = new SeekSlider(Qt::Horizontal);
    slider->setObjectName(QStringLiteral("smoothingSlider"));
    slider->setAccessibleName(tr("Smoothing"));
    slider->setToolTip(tr("Weight of the exponential moving average; 0 is off. The raw curve stays behind it."));
    slider->setRange(0, kSmoothingSteps - 1);
    slider->setValue(kDefaultSmoothing);
    slider->setFixedWidth(kSliderWidth);
    connect(slider, &QSlider::valueChanged, this, [this] {
        showSmoothing();
        Q_EMIT changed();
    });
    return slider;
}

SegmentedControl* TrainingToolRow::makeAxis() {
    auto* axis = new SegmentedControl({
        {tr("Step"), tr("Optimizer steps on the x axis"), QStringLiteral("axisStepButton")},
        {tr("Epoch"), tr("Epochs on the x axis"), QStringLiteral("axisEpochButton")},
        {tr("Samples"), tr("Samples seen by all ranks on the x axis"), QStringLiteral("axisSamplesButton")},
        {tr("Time"), tr("Seconds since the start on the x axis"), QStringLiteral("axisTimeButton")},
    });
    connect(axis, &SegmentedControl::chosen, this, &TrainingToolRow::axisChanged);
    return axis;
}

QCheckBox* TrainingToolRow::makeSwitch(const QString& text, const char* name, const QString& tip) {
    auto* box = new QCheckBox(text);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(tip);
    connect(box, &QCheckBox::toggled, this, &TrainingToolRow::changed);
    return box;
}

QWidget* TrainingToolRow::makeExportButton() {
    auto* button = new QPushButton(tr("Export"));
    button->setObjectName(QStringLiteral("exportButton"));
    button->setToolTip(tr("Save what the charts show"));
    auto* menu = new QMenu(button);
    for (const auto& [name, suffix] : {std::pair(tr("PNG picture..."), "png"), std::pair(tr("SVG drawing..."), "svg"),
                                       std::pair(tr("CSV values..."), "csv")}) {
        menu->addAction(name, this, [this, wanted = QString::fromLatin1(suffix)] { Q_EMIT exportWanted(wanted); });
    }
    button->setMenu(menu);
    return button;
}

double TrainingToolRow::smoothing() const {
    return static_cast<double>(m_smoothing->value()) / kSmoothingSteps;
}

void TrainingToolRow::showSmoothing() {
    m_smoothingValue->setText(smoothing() > 0 ? QLocale::c().toString(smoothing(), 'f', 2) : tr("off"));
}

QString TrainingToolRow::xAxisName() const {
    switch (xAxis()) {
        case XAxis::Step:
            return QStringLiteral("step");
        case XAxis::Epoch:
            return QStringLiteral("epoch");
        case XAxis::Samples:
            return QStringLiteral("samples");
        case XAxis::Time:
            return QStringLiteral("seconds");
    }
    return {};
}

}  // namespace ringside
