// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/page/choices_table.h"

#include <QAbstractButton>
#include <QHeaderView>
#include <QLocale>
#include <algorithm>
#include <array>
#include <utility>

#include "strategy/scene/strategy_sentences.h"
#include "theme/theme.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

enum Column { kName, kOptions, kMemory, kBytes, kIdle, kExpected, kLimit, kMeasured, kBits, kColumns };
// Parts of the width, of a hundred.
constexpr std::array<int, kColumns> kShares = {21, 18, 8, 8, 6, 11, 11, 11, 11};
constexpr int kRowHeight = 24;

QString msText(double ms) {
    return stepTimeText(ms / 1e3);
}

}  // namespace

ChoicesTable::ChoicesTable(Theme& theme, QWidget* parent) : QTableWidget(0, kColumns, parent), m_theme(theme) {
    setObjectName(QStringLiteral("strategiesTable"));
    setAccessibleName(tr("Strategies for this model and world size"));
    setToolTip(tr("A click takes a strategy over into the form"));
    setHorizontalHeaderLabels({tr("Strategy"), tr("Options"), tr("Memory"), tr("Bytes"), tr("Idle"), tr("Expected"),
                               tr("Limited by"), tr("Measured"), tr("Same bits")});
    const std::array kTips = {tr("How the experiment is spread over its ranks"),
                              tr("With what the form says"),
                              tr("Of the rank that takes most"),
                              tr("In a step, of the rank that sends most"),
                              tr("Part of the schedule in which the average rank waits"),
                              tr("Time of a step, from this machine's speed"),
                              tr("What a step spends most of its time on"),
                              tr("Time of a step as it was seen: press Measure"),
                              tr("Whether it ends with the same weights: press Prove")};
    for (int column = 0; column < kColumns; ++column)
        horizontalHeaderItem(column)->setToolTip(kTips[static_cast<std::size_t>(column)]);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setStretchLastSection(true);
    for (auto* corner : findChildren<QAbstractButton*>()) {  // behind the hidden numbers of the rows
        corner->setObjectName(QStringLiteral("strategiesCornerButton"));
        corner->setToolTip(tr("All strategies"));
    }
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::NoSelection);
    setShowGrid(false);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWordWrap(false);
    setFrameShape(QFrame::NoFrame);
    const auto choose = [this](int row, int) {
        const StrategyChoice& one = m_choices[static_cast<std::size_t>(row)];
        if (one.cost && one.name != m_current) Q_EMIT chosen(one.name);
    };
    connect(this, &QTableWidget::cellClicked, this, choose);
    connect(this, &QTableWidget::cellActivated, this, choose);
    connect(&theme, &Theme::changed, this, &ChoicesTable::fill);
}

void ChoicesTable::resizeEvent(QResizeEvent* event) {
    QTableWidget::resizeEvent(event);
    scrollToCurrent();
    for (int column = 0; column + 1 < kColumns; ++column)
        setColumnWidth(column, viewport()->width() * kShares[static_cast<std::size_t>(column)] / 105);
}

void ChoicesTable::setScene(const StrategyScene& scene) {
    m_choices = scene.choices;
    m_paced = scene.config.parallel.pace.any();
    const std::string before = std::exchange(m_current, strategyName(scene.config));
    fill();
    if (before != m_current) scrollToCurrent();
}

void ChoicesTable::scrollToCurrent() {
    const auto current = std::ranges::find(m_choices, m_current, &StrategyChoice::name);
    if (current != m_choices.end()) scrollToItem(item(static_cast<int>(current - m_choices.begin()), kName));
}

void ChoicesTable::setFigures(const QString& strategy, const StrategyFigures& figures) {
    m_figures[strategy.toStdString()] = figures;
    fill();
}

void ChoicesTable::setProof(const QString& strategy, const StrategyProof& proof) {
    m_proofs[strategy.toStdString()] = proof;
    fill();
}

void ChoicesTable::forgetSeen() {
    m_figures.clear();
    m_proofs.clear();
    fill();
}

void ChoicesTable::fill() {
    clearSpans();
    setRowCount(static_cast<int>(m_choices.size()));
    for (std::size_t i = 0; i < m_choices.size(); ++i) fillRow(static_cast<int>(i), m_choices[i]);
}

void ChoicesTable::put(int row, int column, const QString& text, bool current, const QString& tip) {
    auto* cell = new QTableWidgetItem(text);
    cell->setToolTip(tip);
    cell->setForeground(m_theme.colors().text);
    if (current) {
        cell->setBackground(m_theme.colors().accentSoft);
        cell->setFont(m_theme.numberFont());
    }
    setItem(row, column, cell);
}

// With the reason where the numbers would be.
void ChoicesTable::refuse(int row, const StrategyChoice& choice) {
    const QString why = inFormWords(QString::fromStdString(choice.whyNot));
    const bool current = choice.name == m_current;
    put(row, kName, choiceTitle(choice.name), current, why);
    put(row, kOptions, QString::fromStdString(choice.options), current, why);
    put(row, kMemory, tr("does not suit: %1").arg(why), current, why);
    for (const int column : {kOptions, kMemory}) item(row, column)->setForeground(m_theme.colors().muted);
    if (!current) item(row, kName)->setForeground(m_theme.colors().muted);
    setSpan(row, kMemory, 1, kColumns - kMemory);
}

QString ChoicesTable::proofText(const std::string& name) const {
    const auto found = m_proofs.find(name);
    if (found == m_proofs.end()) return {};
    const StrategyProof& proof = found->second;
    if (proof.reference.toStdString() == name) return tr("reference");
    if (!proof.equal) return tr("not tried");
    return *proof.equal ? tr("yes") : tr("no");
}

QString ChoicesTable::expectedTip(bool known) const {
    const QString machine = known ? tr("From how long one rank takes alone on this machine")
                                  : tr("For a rank of 20 GFLOP/s; Measure asks this machine");
    return m_paced ? machine + tr(", slowed down to the experiment's pace") : machine;
}

void ChoicesTable::fillRow(int row, const StrategyChoice& choice) {
    if (!choice.cost || !choice.whyNot.empty()) return refuse(row, choice);
    const bool current = choice.name == m_current;
    const StrategyCost& cost = *choice.cost;
    const auto found = m_figures.find(choice.name);
    const StrategyFigures* seen = found == m_figures.end() ? nullptr : &found->second;
    const QString take = current ? tr("The experiment's strategy") : tr("Take this strategy over into the form");
    put(row, kName, choiceTitle(choice.name), current, take);
    put(row, kOptions, QString::fromStdString(choice.options), current, take);
    put(row, kMemory, bytesText(static_cast<double>(cost.largestPeak())), current, tr("Of the rank that takes most"));
    put(row, kBytes, bytesText(static_cast<double>(cost.mostBytes())), current, tr("Sent by the rank that sends most"));
    put(row, kIdle, percentText(cost.time.idleShare()), current,
        tr("With this model's own stages; by the schedule's formula, were all alike: %1")
            .arg(percentText(cost.idleShare)));
    const bool known = seen != nullptr && seen->expectedMs;
    const double expected = known ? *seen->expectedMs : cost.time.all() * 1e3;
    put(row, kExpected, (known ? QString() : tr("about ")) + msText(expected), current, expectedTip(known));
    const QString limit = known ? seen->limitedBy : QString::fromStdString(limitText(cost.time.limit()));
    put(row, kLimit, limit, current, tr("What a step spends most of its time on"));
    put(row, kMeasured,
        seen == nullptr    ? QString()
        : seen->measuredMs ? msText(*seen->measuredMs)
                           : seen->problem,
        current, seen == nullptr ? tr("Measure trains it for a few seconds") : seen->problem);
    const auto proof = m_proofs.find(choice.name);
    put(row, kBits, proofText(choice.name), current,
        proof == m_proofs.end() ? tr("Prove trains it and compares the weights, bit for bit")
                                : tr("compared with %1 %2").arg(proof->second.reference, proof->second.text));
    if (proof != m_proofs.end() && proof->second.equal)
        item(row, kBits)
            ->setForeground(*proof->second.equal ? m_theme.colors().goodText : m_theme.colors().warningText);
}

StrategyTable ChoicesTable::table() const {
    StrategyTable table{QStringLiteral("strategies"),
                        {"strategy", "options", "memory_per_rank_bytes", "bytes_per_step", "idle_share",
                         "expected_step_ms", "limited_by", "measured_step_ms", "same_bits", "why_not"},
                        {}};
    const auto plain = [](double value) { return QLocale::c().toString(value, 'g', 9); };
    for (const StrategyChoice& one : m_choices) {
        QStringList row{QString::fromStdString(one.name), QString::fromStdString(one.options)};
        const auto found = m_figures.find(one.name);
        const bool seen = found != m_figures.end();
        if (one.cost) {
            const bool known = seen && found->second.expectedMs;
            row << QString::number(one.cost->largestPeak()) << QString::number(one.cost->mostBytes())
                << plain(one.cost->idleShare) << plain(known ? *found->second.expectedMs : one.cost->time.all() * 1e3)
                << QString::fromStdString(limitText(one.cost->time.limit()));
        } else {
            row << QString() << QString() << QString() << QString() << QString();
        }
        row << (seen && found->second.measuredMs ? plain(*found->second.measuredMs) : QString()) << proofText(one.name)
            << QString::fromStdString(one.whyNot);
        table.rows << row;
    }
    return table;
}

}  // namespace ringside
