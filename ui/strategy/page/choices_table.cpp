// SPDX-License-Identifier: GPL-3.0-or-later
#include "strategy/page/choices_table.h"

#include <QAbstractButton>
#include <QHeaderView>
#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "config/mesh.h"
#include "strategy/scene/strategy_sentences.h"
#include "tables/table_cells.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

enum Column { kName, kOptions, kMemory, kBytes, kIdle, kExpected, kLimit, kMeasured, kSamples, kRate, kBits, kColumns };
// Widths of the table's columns, in percent of the table's width.
constexpr std::array<int, kColumns> kShares = {14, 10, 8, 8, 6, 9, 13, 8, 7, 9, 8};
// minimum width of the table, at which no number is cut; in a narrower page the table scrolls
constexpr TypePixels kMinWidth{1060};
constexpr TypePixels kRowHeight{20};

QString msText(double ms) {
    return stepTimeText(ms / 1e3);
}

QString wholeText(double number) {
    return QLocale().toString(number, 'f', number < 100 ? 1 : 0);
}

// Returns an estimated number with three significant digits: "≈ 576,000" for 575,656.
QString estimateText(double number) {
    const double unit = number > 0 ? std::pow(10, std::floor(std::log10(number)) - 2) : 1;
    return ChoicesTable::tr("≈ %1").arg(wholeText(std::round(number / unit) * unit));
}

// Returns the configuration with default values for the settings of all strategies that are not selected. Two
// configurations for which this function returns equal results have the same predicted and measured numbers.
RunConfig ownSettings(const RunConfig& config) {
    RunConfig own = config;
    if (config.parallel.strategy != StrategyKind::kPipeline) own.pipeline = {};
    if (config.parallel.strategy != StrategyKind::kFsdp) own.fsdp = {};
    const Mesh mesh = meshOf(config);
    own.mesh = {mesh.replicate, mesh.shard, mesh.pipeline};
    return own;
}

// True if `ringsidectl prove` tests the strategy with this name.
bool isProved(const std::string& name) {
    constexpr std::array kOthers = {"data_parallel", "replicas_of_pipelines", "sharded_stages", "own_schedule"};
    return std::ranges::find(kOthers, name) == kOthers.end();
}

}  // namespace

ChoicesTable::ChoicesTable(Theme& theme, QWidget* parent) : QTableWidget(0, kColumns, parent), m_theme(theme) {
    setObjectName(QStringLiteral("strategiesTable"));
    setAccessibleName(tr("Strategies for this model and world size"));
    setToolTip(tr("Click a strategy to use it in the form"));
    setHorizontalHeaderLabels({tr("Strategy"), tr("Options"), tr("Memory"), tr("Bytes"), tr("Idle"), tr("Expected"),
                               tr("Limited by"), tr("Measured"), tr("Samples"), tr("Samples/s"), tr("Same bits")});
    const std::array kTips = {
        tr("How the experiment is distributed over the ranks"),
        tr("Options of the strategy, as set in the form"),
        tr("Memory of the rank that needs the most"),
        tr("Bytes per step of the rank that sends the most"),
        tr("Share of the forward and backward time in which the average rank waits for other stages"),
        tr("Predicted time of a step, from the speed of this computer"),
        tr("Part of a step that takes the most time"),
        tr("Measured time of a step; click Measure"),
        tr("Samples per step, of all ranks together. The number depends on the strategy, so compare Samples/s."),
        tr("Samples that all ranks train on per second: measured if available, otherwise expected"),
        tr("Shows whether the final weights are identical; click Prove")};
    for (int column = 0; column < kColumns; ++column)
        horizontalHeaderItem(column)->setToolTip(kTips[static_cast<std::size_t>(column)]);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(kRowHeight);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setHighlightSections(false);
    for (auto* corner : findChildren<QAbstractButton*>()) {  // sets name and tooltip of Qt's corner button
        corner->setObjectName(QStringLiteral("strategiesCornerButton"));
        corner->setToolTip(tr("All strategies"));
    }
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::NoSelection);
    setShowGrid(false);
    setItemDelegate(new TableCells(TableCells::Numbers::Left, this));
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setWordWrap(false);
    setFrameShape(QFrame::NoFrame);
    const auto choose = [this](int row, int) {
        const StrategyChoice& one = m_choices[static_cast<std::size_t>(row)];
        if (one.cost && !one.isCurrent) Q_EMIT chosen(one.name);
    };
    connect(this, &QTableWidget::cellClicked, this, choose);
    connect(this, &QTableWidget::cellActivated, this, choose);
    connect(&theme, &Theme::changed, this, &ChoicesTable::fill);
}

int ChoicesTable::wholeHeight() const {
    constexpr int kBarRoom = 12;  // height of the horizontal scroll bar of a narrow page, in pixels
    return horizontalHeader()->sizeHint().height() + rowCount() * int(kRowHeight) + kBarRoom;
}

void ChoicesTable::resizeEvent(QResizeEvent* event) {
    QTableWidget::resizeEvent(event);
    scrollToCurrent();
    const int width = std::max<int>(viewport()->width(), kMinWidth);
    int left = width;
    for (int column = 0; column + 1 < kColumns; ++column) {
        setColumnWidth(column, width * kShares[static_cast<std::size_t>(column)] / 100);
        left -= columnWidth(column);
    }
    setColumnWidth(kColumns - 1, left);
}

void ChoicesTable::setScene(const StrategyScene& scene) {
    const std::vector<StrategyChoice> old = std::exchange(m_choices, scene.choices);
    for (const StrategyChoice& one : old) {
        const auto now = std::ranges::find(m_choices, one.name, &StrategyChoice::name);
        if (now != m_choices.end() && ownSettings(now->config) == ownSettings(one.config)) continue;
        m_figures.erase(one.name);
        m_proofs.erase(one.name);
    }
    m_throttled = scene.config.parallel.throttle.any();
    const std::string before = std::exchange(m_current, strategyName(scene.config));
    fill();
    if (before != m_current) scrollToCurrent();
}

void ChoicesTable::scrollToCurrent() {
    const auto current = std::ranges::find(m_choices, true, &StrategyChoice::isCurrent);
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

void ChoicesTable::clearMeasuredNumbers() {
    m_figures.clear();
    m_proofs.clear();
    fill();
}

void ChoicesTable::fill() {
    clearSpans();
    setRowCount(static_cast<int>(m_choices.size()));
    for (std::size_t i = 0; i < m_choices.size(); ++i) fillRow(static_cast<int>(i), m_choices[i]);
}

void ChoicesTable::setCell(int row, int column, const QString& text, bool current, const QString& tip) {
    auto* cell = new QTableWidgetItem(text);
    cell->setToolTip(tip);
    cell->setForeground(m_theme.colors().text);
    if (current) {
        cell->setBackground(m_theme.colors().accentSoft);
        cell->setFont(m_theme.numberFont());
    }
    setItem(row, column, cell);
}

// Fills a row with the reason why the strategy cannot be used, in the place of its numbers.
void ChoicesTable::showRefusal(int row, const StrategyChoice& choice) {
    const QString why = inFormWords(QString::fromStdString(choice.whyNot));
    const bool current = choice.isCurrent;
    setCell(row, kName, choiceTitle(choice.name), current, why);
    setCell(row, kOptions, QString::fromStdString(choice.options), current, why);
    setCell(row, kMemory, tr("not possible: %1").arg(why), current, why);
    for (const int column : {kOptions, kMemory}) item(row, column)->setForeground(m_theme.colors().muted);
    if (!current) item(row, kName)->setForeground(m_theme.colors().muted);
    setSpan(row, kMemory, 1, kColumns - kMemory);
}

QString ChoicesTable::proofText(const std::string& name) const {
    if (!isProved(name)) return tr("not tested");
    const auto found = m_proofs.find(name);
    if (found == m_proofs.end()) return {};
    const StrategyProof& proof = found->second;
    if (proof.reference.toStdString() == name) return tr("reference");
    if (!proof.equal) return tr("not tested");
    return *proof.equal ? tr("yes") : tr("no");
}

QString ChoicesTable::expectedTip(bool known) const {
    const QString machine =
        known ? tr("Computed from the time that a single rank takes on this computer")
              : tr("Computed for ranks of 20 GFLOP/s; click Measure to determine the speed of this computer");
    return m_throttled ? machine + tr(", slowed down by the throttle of the experiment") : machine;
}

void ChoicesTable::fillRow(int row, const StrategyChoice& choice) {
    if (!choice.cost || !choice.whyNot.empty()) return showRefusal(row, choice);
    const auto found = m_figures.find(choice.name);
    const StrategyFigures seen = found == m_figures.end() ? StrategyFigures() : found->second;
    fillPredicted(row, choice, seen);
    fillMeasured(row, choice, seen);
    fillSameBits(row, choice);
}

void ChoicesTable::fillPredicted(int row, const StrategyChoice& choice, const StrategyFigures& seen) {
    const bool current = choice.isCurrent;
    const StrategyCost& cost = *choice.cost;
    const QString take = current ? tr("Strategy of the experiment") : tr("Use this strategy in the form");
    const QString options = QString::fromStdString(choice.options);
    setCell(row, kName, choiceTitle(choice.name), current, choiceTitle(choice.name) + QLatin1Char('\n') + take);
    setCell(row, kOptions, options, current, options + QLatin1Char('\n') + take);
    setCell(row, kMemory, bytesText(static_cast<double>(cost.largestPeak())), current,
            tr("Memory of the rank that needs the most"));
    setCell(row, kBytes, bytesText(static_cast<double>(cost.largestTraffic())), current,
            tr("Bytes that the rank with the most traffic sends in a step"));
    QString idle = tr("Expected idle share with the stages of this model: %1. If all stages took the same time: %2")
                       .arg(percentText(cost.time.idleShare()), percentText(cost.idleShare));
    if (seen.measuredIdleShare) idle += tr(". Measured: %1").arg(percentText(*seen.measuredIdleShare));
    setCell(row, kIdle, percentText(cost.time.idleShare()), current, idle);
    const bool known = seen.expectedMs.has_value();
    setCell(row, kExpected, known ? msText(*seen.expectedMs) : tr("≈ %1").arg(msText(cost.time.total() * 1e3)), current,
            expectedTip(known));
    const QString limit = known ? seen.limitedBy : QString::fromStdString(limitText(cost.time.limit()));
    setCell(row, kLimit, limit, current, tr("Part of a step that takes the most time: %1").arg(limit));
}

void ChoicesTable::fillMeasured(int row, const StrategyChoice& choice, const StrategyFigures& seen) {
    const bool current = choice.isCurrent;
    const bool failed = !seen.problem.isEmpty();
    const QString time = seen.measuredMs ? msText(*seen.measuredMs) : QString();
    const QString tip = failed                 ? tr("Not measured: %1").arg(seen.problem)
                        : !seen.note.isEmpty() ? tr("Measured, but %1").arg(seen.note)
                        : seen.measuredMs      ? tr("Median of the traced steps")
                                               : tr("Click Measure to train with this strategy for a few seconds");
    setCell(row, kMeasured,
            failed                ? tr("failed")
            : seen.note.isEmpty() ? time
                                  : tr("%1 (diverged)").arg(time),
            current, tip);
    if (failed || !seen.note.isEmpty())
        item(row, kMeasured)->setForeground(failed ? m_theme.colors().danger : m_theme.colors().warningText);
    setCell(row, kSamples, QLocale().toString(static_cast<qlonglong>(choice.cost->samplesPerStep)), current,
            tr("Samples per step, of all ranks together"));
    const auto measured = seen.measuredSamplesPerSecond;
    const double rate = measured.value_or(seen.expectedSamplesPerSecond.value_or(choice.cost->samplesPerSecond()));
    setCell(row, kRate, measured ? wholeText(rate) : estimateText(rate), current,
            measured ? tr("Measured: samples per step, divided by the measured time of a step")
                     : tr("Expected: samples per step, divided by the expected time of a step"));
}

void ChoicesTable::fillSameBits(int row, const StrategyChoice& choice) {
    const auto proof = m_proofs.find(choice.name);
    QString tip =
        tr("Prove trains with this strategy and compares the weights bit by bit with those of the strategies that must "
           "be equal");
    if (!isProved(choice.name))
        tip =
            tr("Prove compares this strategy only with the canonical reduction: set Reduction order to canonical and "
               "run ringsidectl prove");
    else if (proof != m_proofs.end())
        tip = tr("compared with %1 %2").arg(proof->second.reference, proof->second.text);
    setCell(row, kBits, proofText(choice.name), choice.isCurrent, tip);
    if (!isProved(choice.name)) item(row, kBits)->setForeground(m_theme.colors().muted);
    if (proof != m_proofs.end() && proof->second.equal)
        item(row, kBits)->setForeground(*proof->second.equal ? m_theme.colors().goodText : m_theme.colors().danger);
}

QStringList ChoicesTable::provedStrategies() const {
    QStringList names;
    for (const StrategyChoice& one : m_choices)
        if (one.whyNot.empty() && isProved(one.name)) names << QString::fromStdString(one.name);
    return names;
}

TableData ChoicesTable::table() const {
    const QStringList columns = {"strategy",
                                 "options",
                                 "memory_per_rank_bytes",
                                 "bytes_per_step",
                                 "samples_per_step",
                                 "idle_share",
                                 "idle_share_of_stages",
                                 "expected_step_ms",
                                 "expected_samples_per_second",
                                 "limited_by",
                                 "measured_step_ms",
                                 "measured_samples_per_second",
                                 "measured_idle_share",
                                 "same_bits",
                                 "why_not"};
    QList<QStringList> rows;
    const auto plain = [](std::optional<double> value) {
        return value ? QLocale::c().toString(*value, 'g', 9) : QString();
    };
    for (const StrategyChoice& one : m_choices) {
        const auto found = m_figures.find(one.name);
        const StrategyFigures seen = found == m_figures.end() ? StrategyFigures() : found->second;
        QStringList row{QString::fromStdString(one.name), QString::fromStdString(one.options)};
        if (one.cost) {
            row << QString::number(one.cost->largestPeak()) << QString::number(one.cost->largestTraffic())
                << QString::number(one.cost->samplesPerStep) << plain(one.cost->idleShare)
                << plain(one.cost->time.idleShare()) << plain(seen.expectedMs.value_or(one.cost->time.total() * 1e3))
                << plain(seen.expectedSamplesPerSecond.value_or(one.cost->samplesPerSecond()))
                << (seen.expectedMs ? seen.limitedBy : QString::fromStdString(limitText(one.cost->time.limit())));
        } else {
            row << QStringList(8, QString());
        }
        row << plain(seen.measuredMs) << plain(seen.measuredSamplesPerSecond) << plain(seen.measuredIdleShare)
            << proofText(one.name) << QString::fromStdString(one.whyNot);
        rows << row;
    }
    return tableOf(QStringLiteral("strategies"), columns, std::move(rows));
}

}  // namespace ringside
