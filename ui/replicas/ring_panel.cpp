// SPDX-License-Identifier: GPL-3.0-or-later
#include "replicas/ring_panel.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "controls/tone.h"

namespace ringside {
namespace {

constexpr int kMaxInRing = 8;

}  // namespace

RingPanel::RingPanel(const Theme& theme, QWidget* parent) : QWidget(parent) {
    setProperty("role", "clear");
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    auto* line = new QHBoxLayout;
    m_back = addButton(tr("Back"), tr("Previous step of the ring (key: comma)"), "ringBackButton");
    m_next = addButton(tr("Next"), tr("Next step of the ring (key: period)"), "ringNextButton");
    m_text = new QLabel;
    m_text->setObjectName(QStringLiteral("ringLabel"));
    m_text->setWordWrap(true);
    line->addWidget(m_back);
    line->addWidget(m_next);
    line->addWidget(m_text, 1);
    column->addLayout(line);
    m_ring = new RingPicture(theme);
    column->addWidget(m_ring, 1);
    connect(m_back, &QPushButton::clicked, this, [this] { moveBy(-1); });
    connect(m_next, &QPushButton::clicked, this, [this] { moveBy(1); });
}

QPushButton* RingPanel::addButton(const QString& text, const QString& tip, const char* name) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    button->setAccessibleName(text);
    return button;
}

void RingPanel::show(const InspectedStep& step, const std::vector<int>& ranks, const RunData& run) {
    std::vector<std::vector<double>> values;
    const GradientView* mean = nullptr;
    for (const int rank : ranks) {
        const auto place = static_cast<std::size_t>(rank);
        if (place >= step.own.size()) continue;
        if (step.own[place] && !step.own[place]->ring.empty()) values.push_back(step.own[place]->ring);
        if (step.mean[place] && !step.mean[place]->ring.empty()) mean = &*step.mean[place];
    }
    const bool can = values.size() == ranks.size() && values.size() >= 2 && values.size() <= kMaxInRing;
    m_divides = !run.settings().stepPitfalls.sumGradients;
    m_scatters = run.settings().strategy == StrategyKind::kFsdp;
    m_isAlone = run.ranks().size() < 2;
    const std::pair shown(step.step, ranks.front());
    if (m_shown != shown || m_ring->steps().has_value() != can) {
        m_shown = shown;
        m_ring->setSteps(can ? std::optional<RingSteps>(RingSteps(values, m_divides)) : std::nullopt, step.step);
        m_ring->setStep(0);
    }
    compare(mean);
    showSentence();
}

void RingPanel::compare(const GradientView* mean) {
    m_error = -1;
    m_largest = 0;
    if (!m_ring->steps() || mean == nullptr) return;
    const RingSteps& ring = *m_ring->steps();
    std::vector<double> result;
    for (int part = 0; part < ring.ranks(); ++part) {
        const std::vector<double>& values = ring.part(ring.steps(), 0, part).values;
        result.insert(result.end(), values.begin(), values.end());
    }
    if (result.size() != mean->ring.size()) return;
    for (std::size_t i = 0; i < result.size(); ++i) {
        m_error = std::max(m_error, std::abs(result[i] - mean->ring[i]));
        m_largest = std::max(m_largest, std::abs(mean->ring[i]));
    }
}

void RingPanel::moveBy(int by) {
    m_ring->setStep(m_ring->ringStep() + by);
    showSentence();
}

void RingPanel::showSentence() {
    const auto& ring = m_ring->steps();
    const int step = m_ring->ringStep();
    m_back->setEnabled(ring && step > 0);
    m_next->setEnabled(ring && step < ring->steps());
    if (ring)
        m_text->setText(tr("Step %1 of %2. ").arg(step).arg(ring->steps()) + sentenceOf(step));
    else
        m_text->setText(
            m_isAlone ? tr("The run has a single rank, so there is no all-reduce.")
                      : tr("The ring is shown for 2 to 8 ranks and for buckets of at least two values per rank."));
    setTone(m_text, ring && step == ring->steps() && differs() ? "danger" : "");
}

QString RingPanel::sentenceOf(int step) const {
    const RingSteps& ring = *m_ring->steps();
    const int ranks = ring.ranks();
    if (step == 0)
        return (m_divides ? tr("Each rank divides its local gradient by %1 and splits it into %1 parts; the first "
                               "values of each part are shown.")
                          : tr("Each rank splits its local gradient into %1 parts. This experiment contains a mistake: "
                               "the values are "
                               "not divided by the number of ranks. The first values of each part are shown."))
            .arg(ranks);
    if (step < ranks - 1)
        return tr("Reduce-scatter: each rank added the received values to its own values of the same part.");
    if (step == ranks - 1)
        return m_scatters ? tr("Every rank now has one complete part of the sum (green). FSDP ends the reduction here; "
                               "the next steps show the all-gather that completes an all-reduce.")
                          : tr("Every rank now has one complete part of the sum (green).");
    if (step < ring.steps()) return tr("All-gather: the ranks pass the complete parts around the ring.");
    return tr("All ranks have the result after %1 steps. Each step moved 1/%2 of the bucket%3.")
        .arg(ring.steps())
        .arg(ranks)
        .arg(comparisonWithRun());
}

// True if the difference between the result of the ring and the result of the run's all-reduce is too large for a
// rounding error. Rounding errors are normal, because the run adds in another order and may use 16-bit numbers.
bool RingPanel::differs() const {
    constexpr double kRounding = 0.01;  // differences up to this fraction of m_largest count as rounding errors
    return m_error > kRounding * m_largest;
}

QString RingPanel::comparisonWithRun() const {
    if (m_error < 0) return {};
    const QString by = QString::number(m_error, 'g', 1);
    return differs() ? tr("; the result of the run's own all-reduce differs from this result by up to %1").arg(by)
                     : tr("; the result of the run's own all-reduce is the same (largest difference: %1)").arg(by);
}

}  // namespace ringside
