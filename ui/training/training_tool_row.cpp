// SPDX-License-Identifier: GPL-3.0-or-later
#include "training/training_tool_row.h"

#include <QHBoxLayout>
#include <QLocale>
#include <QPushButton>
#include <initializer_list>

#include "controls/flow_layout.h"
#include "controls/seek_slider.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

// number of positions of the slider; each position adds 0.01 to the smoothing weight
constexpr int kSmoothingSteps = 100;
constexpr int kDefaultSmoothing = 60;
constexpr TypePixels kSliderWidth{110};
constexpr TypePixels kValueWidth{32};

}  // namespace

TrainingToolRow::TrainingToolRow(QWidget* parent)
    : QWidget(parent),
      m_smoothing(makeSlider()),
      m_smoothingValue(new QLabel),
      m_axis(makeAxis()),
      m_logY(makeSwitch(tr("Log y"), "logYCheckBox", tr("Logarithmic y axis for loss and gradient norm (L)"))),
      m_fanOut(makeSwitch(tr("One curve per rank"), "fanOutCheckBox",
                          tr("Show one curve per rank instead of the mean and its band"))),
      m_outliers(makeSwitch(tr("Ignore outliers"), "outliersCheckBox",
                            tr("Ignore very high losses of the first steps in the range of the loss axis"))) {
    auto* parts = new FlowLayout(this, Theme::kSpace1);
    parts->setContentsMargins(Theme::kSpace2, 0, 0, 0);
    parts->setSpacing(Theme::kSpace3);
    auto* smoothing = new QWidget;  // keeps the label and the slider side by side when the row wraps
    auto* line = new QHBoxLayout(smoothing);
    line->setContentsMargins(0, 0, 0, 0);
    auto* name = new QLabel(tr("Smoothing"));
    name->setProperty("role", "muted");
    followType(*this, [this] {
        m_smoothingValue->setMinimumWidth(kValueWidth);
        m_smoothing->setFixedWidth(kSliderWidth);
    });
    for (QWidget* part : std::initializer_list<QWidget*>{name, m_smoothing, m_smoothingValue}) line->addWidget(part);
    for (QWidget* part : std::initializer_list<QWidget*>{smoothing, m_axis, m_logY, m_outliers, m_fanOut})
        parts->addWidget(part);
    parts->addItem(new QSpacerItem(0, 0, QSizePolicy::Expanding, QSizePolicy::Minimum));
    parts->addWidget(makeExportButton());
    m_outliers->setChecked(true);
    showSmoothing();
}

QSlider* TrainingToolRow::makeSlider() {
    auto* slider = new SeekSlider(Qt::Horizontal);
    slider->setObjectName(QStringLiteral("smoothingSlider"));
    slider->setAccessibleName(tr("Smoothing"));
    slider->setToolTip(
        tr("Weight of the exponential moving average; 0: no smoothing. The unsmoothed curve stays visible."));
    slider->setRange(0, kSmoothingSteps - 1);
    slider->setValue(kDefaultSmoothing);
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
    button->setToolTip(tr("Save the charts"));
    m_export = new QMenu(button);
    for (const auto& [name, suffix] :
         {std::pair(tr("Save the charts as PNG..."), "png"), std::pair(tr("Save the charts as SVG..."), "svg"),
          std::pair(tr("Save the charts as CSV..."), "csv")}) {
        m_export->addAction(name, this, [this, wanted = QString::fromLatin1(suffix)] { Q_EMIT exportWanted(wanted); });
    }
    button->setMenu(m_export);
    return button;
}

double TrainingToolRow::smoothing() const {
    return static_cast<double>(m_smoothing->value()) / kSmoothingSteps;
}

void TrainingToolRow::showSmoothing() {
    m_smoothingValue->setText(smoothing() > 0 ? QLocale::c().toString(smoothing(), 'f', 2) : tr("off"));
}

NumberStyle TrainingToolRow::xStyle() const {
    switch (xAxis()) {
        case XAxis::Step:
        case XAxis::Samples:
            return NumberStyle::Whole;
        case XAxis::Epoch:
            return NumberStyle::Plain;
        case XAxis::Time:
            return NumberStyle::Seconds;
    }
    return NumberStyle::Plain;
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
