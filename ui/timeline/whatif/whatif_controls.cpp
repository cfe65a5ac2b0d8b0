// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/whatif/whatif_controls.h"

#include <QHBoxLayout>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>

#include "controls/seek_slider.h"
#include "theme/theme.h"
#include "theme/type_length.h"

namespace ringside {
namespace {

constexpr int kNotches = 8;  // number of slider positions on each side of the middle; a move by two positions doubles
                             // or halves the factor
constexpr int kMaxRanks = 64;
constexpr TypePixels kValueWidth{62};

double timesAt(int notch) {
    return std::exp2(notch / 2.0);
}

QString timesText(int notch) {
    const double times = timesAt(notch);
    return notch == 0 ? WhatIfControls::tr("unchanged") : WhatIfControls::tr("%1 x").arg(times, 0, 'g', 2);
}

}  // namespace

WhatIfControls::WhatIfControls(QWidget* parent) : QWidget(parent) {
    setProperty("role", "clear");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    m_rank = new QSpinBox;
    m_rank->setObjectName(QStringLiteral("whatIfRankSpinBox"));
    m_rank->setAccessibleName(tr("Rank without its delay"));
    m_rank->setToolTip(tr("Rank whose delay is removed"));
    m_delay = addBox(tr("no delay on rank"), "whatIfDelayCheckBox",
                     tr("This rank takes the median time of the other ranks in every phase"), m_rank);
    m_speed = addSlider(tr("bandwidth"), "whatIfBandwidthSlider",
                        tr("Multiply the bandwidth of all links by this factor"), m_speedValue);
    m_latency =
        addSlider(tr("latency"), "whatIfLatencySlider",
                  tr("Multiply the latency, the time of the smallest collective, by this factor"), m_latencyValue);
    m_overlap = addBox(tr("no overlap with backward"), "whatIfOverlapCheckBox",
                       tr("The all-reduce of all buckets starts after the backward pass"));
    m_bucketMiB = new QDoubleSpinBox;
    m_bucketMiB->setObjectName(QStringLiteral("whatIfBucketSpinBox"));
    m_bucketMiB->setAccessibleName(tr("Size of a bucket"));
    m_bucketMiB->setToolTip(tr("Size of a bucket in MiB"));
    m_bucketMiB->setDecimals(2);
    m_bucketMiB->setRange(0.01, 1024);
    m_bucketMiB->setValue(5);
    m_bucketMiB->setSuffix(tr(" MiB"));
    m_buckets = addBox(tr("bucket size"), "whatIfBucketCheckBox",
                       tr("Gradients are reduced in buckets of this size, each when it is complete"), m_bucketMiB);
    m_worldSize = new QSpinBox;
    m_worldSize->setObjectName(QStringLiteral("whatIfWorldSpinBox"));
    m_worldSize->setAccessibleName(tr("Number of ranks"));
    m_worldSize->setToolTip(tr("Number of ranks"));
    m_worldSize->setRange(2, kMaxRanks);
    m_worldSize->setValue(8);
    m_world = addBox(tr("other world size"), "whatIfWorldCheckBox",
                     tr("Predict the steps with this number of ranks, each with the same work as now and its own CPU"),
                     m_worldSize);
    connect(m_rank, &QSpinBox::valueChanged, this, &WhatIfControls::changed);
    connect(m_bucketMiB, &QDoubleSpinBox::valueChanged, this, &WhatIfControls::changed);
    connect(m_worldSize, &QSpinBox::valueChanged, this, &WhatIfControls::changed);
    showTimes();
}

QCheckBox* WhatIfControls::addBox(const QString& text, const char* name, const QString& tip, QWidget* value) {
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::kSpace2);
    auto* box = new QCheckBox(text);
    box->setObjectName(QLatin1String(name));
    box->setToolTip(tip);
    row->addWidget(box, 1);
    if (value != nullptr) {
        row->addWidget(value);
        value->setEnabled(false);
        connect(box, &QCheckBox::toggled, value, &QWidget::setEnabled);
    }
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
    connect(box, &QCheckBox::toggled, this, &WhatIfControls::changed);
    return box;
}

QSlider* WhatIfControls::addSlider(const QString& text, const char* name, const QString& tip, QLabel*& value) {
    auto* row = new QHBoxLayout;
    row->setSpacing(Theme::kSpace2);
    auto* label = new QLabel(text);
    label->setMinimumWidth(kValueWidth);
    auto* slider = new SeekSlider(Qt::Horizontal);
    slider->setObjectName(QLatin1String(name));
    slider->setAccessibleName(text);
    slider->setToolTip(tip);
    slider->setRange(-kNotches, kNotches);
    value = new QLabel;
    value->setProperty("role", "muted");
    value->setMinimumWidth(kValueWidth);
    value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(label);
    row->addWidget(slider, 1);
    row->addWidget(value);
    static_cast<QVBoxLayout*>(layout())->addLayout(row);
    connect(slider, &QSlider::valueChanged, this, [this] {
        showTimes();
        Q_EMIT changed();
    });
    return slider;
}

void WhatIfControls::showTimes() {
    if (m_speedValue != nullptr) m_speedValue->setText(timesText(m_speed == nullptr ? 0 : m_speed->value()));
    if (m_latencyValue != nullptr) m_latencyValue->setText(timesText(m_latency == nullptr ? 0 : m_latency->value()));
}

StepChange WhatIfControls::change() const {
    StepChange change;
    if (m_delay->isChecked() && m_ranks > 1) change.withoutDelayOf = m_rank->value();
    change.bandwidth = timesAt(m_speed->value());
    change.latency = timesAt(m_latency->value());
    change.noOverlap = m_overlap->isChecked();
    if (m_buckets->isChecked()) change.bucketMiB = m_bucketMiB->value();
    if (m_world->isChecked() && m_ranks > 1 && m_worldSize->value() != m_ranks) change.worldSize = m_worldSize->value();
    return change;
}

void WhatIfControls::setRanks(int ranks, int suspect) {
    const QSignalBlocker quiet(m_rank);
    const bool other = ranks != m_ranks;
    m_ranks = ranks;
    m_rank->setRange(0, std::max(ranks - 1, 0));
    if (other) m_worldSize->setValue(std::min(2 * std::max(ranks, 1), kMaxRanks));
    if (suspect >= 0 && !m_delay->isChecked()) m_rank->setValue(suspect);
}

void WhatIfControls::reset() {
    for (QCheckBox* box : {m_delay, m_overlap, m_buckets, m_world}) box->setChecked(false);
    m_speed->setValue(0);
    m_latency->setValue(0);
}

}  // namespace ringside
