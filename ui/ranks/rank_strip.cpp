// SPDX-License-Identifier: GPL-3.0-or-later
#include "ranks/rank_strip.h"

#include <QFileInfo>
#include <QKeyEvent>
#include <QLocale>
#include <QPaintEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text/number_text.h"
#include "config/mesh.h"
#include "controls/picture.h"
#include "model/model_summary.h"
#include "models/experiment_model.h"
#include "models/run_model.h"
#include "ranks/only_replica.h"
#include "sampling/plan/epoch_spec.h"
#include "telemetry/data/dropped_text.h"
#include "telemetry/data/missing_ranks.h"
#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"
#include "words/phase_text.h"

namespace ringside {
namespace {

constexpr std::int64_t kMaxStartSeconds = 10;  // longest wait before the first step that is not marked as a fault

constexpr std::int64_t kMaxCards = 64;
constexpr TypePixels kLowWindow{620};  // in a window that is lower than this, the cards are compact

QString grouped(double value) {
    return QLocale(QLocale::English).toString(value, 'f', 0);
}
QString bytesText(std::int64_t bytes) {
    return QString::fromStdString(memoryText(bytes));
}

// Returns the known measurements of a GPU (utilization, memory, temperature, power), such as "87 %  11.5 GiB of 131.3
// GiB  63 °C  412 W".
QString gpuText(const GpuReading& gpu) {
    QStringList parts;
    if (gpu.utilisationPercent >= 0) parts << QObject::tr("%1 %").arg(grouped(gpu.utilisationPercent));
    if (gpu.usedBytes >= 0 && gpu.totalBytes > 0)
        parts << QObject::tr("%1 of %2").arg(bytesText(gpu.usedBytes), bytesText(gpu.totalBytes));
    if (gpu.celsius >= 0) parts << QObject::tr("%1 °C").arg(grouped(gpu.celsius));
    if (gpu.watts >= 0) parts << QObject::tr("%1 W").arg(grouped(gpu.watts));
    return parts.join(QStringLiteral("  "));
}

// Returns the index (0-4) of the phase among the five phases that a card shows.
int litPhaseOf(Phase phase) {
    switch (phase) {
        case Phase::kDataWait:
        case Phase::kCopy:
            return 0;
        case Phase::kForward:
            return 1;
        case Phase::kBackward:
            return 2;
        case Phase::kWaiting:
        case Phase::kMoving:
            return 3;
        case Phase::kOptimizer:
            return 4;
        case Phase::kConnect:
        case Phase::kValidation:
        case Phase::kCheckpoint:
        case Phase::kPaused:
        case Phase::kIdle:
            break;
    }
    return -1;
}

QString stageText(std::optional<RankStage> stage) {
    return stage ? QString::fromStdString(textOf(*stage)) : QString();
}

// True if a rank in this stage has reported that its work has ended.
bool hasEnded(RankStage stage) {
    switch (stage) {
        case RankStage::kLeftEarly:
        case RankStage::kFinished:
        case RankStage::kStopped:
        case RankStage::kFailed:
            return true;
        case RankStage::kStarting:
        case RankStage::kConnecting:
        case RankStage::kLoading:
        case RankStage::kTraining:
        case RankStage::kValidating:
        case RankStage::kSaving:
        case RankStage::kPaused:
        case RankStage::kStartingAgain:
            break;
    }
    return false;
}

// True if the run has failed and the rank has not reported its end, for example because the supervisor (the process
// that starts the ranks) was killed.
bool isCutOff(const RunData& run, const RankData& rank) {
    return run.ended() && run.ended()->state == RunOutcome::kFailed && !(rank.state && hasEnded(*rank.state));
}

QString stepPhaseText(Phase phase) {
    if (isCommunication(phase)) return QObject::tr("all-reduce");
    return phaseTelemetryName(phase);
}

}  // namespace

// Widget inside the scroll area that paints all cards.
class RankStrip::Canvas final : public Picture {
  public:
    Canvas(const RankStrip& strip, const Theme& theme) : Picture(theme), m_strip(strip), m_cards(theme) {}

    RankStripLayout layout;

  protected:
    void paintEvent(QPaintEvent* event) override {
        QPainter painter(this);
        for (const HostGroup& host : m_strip.hosts()) paintHost(painter, host);
        for (const RankCard& card : m_strip.cards()) {
            const QRect rect = layout.card(card.rank);
            if (event->rect().intersects(rect)) m_cards.paint(painter, rect, card, layout.density);
        }
    }

    std::vector<Identity> identitiesAt(const QPoint& point) const override {
        const int rank = layout.rankAt(point, static_cast<int>(m_strip.cards().size()));
        return rank < 0 ? std::vector<Identity>() : std::vector<Identity>{{IdentityKind::Rank, rank}};
    }

    Tip tipAt(const QPoint& point) const override {
        const int rank = layout.rankAt(point, static_cast<int>(m_strip.cards().size()));
        return rank < 0 ? Tip() : Tip{m_strip.cards()[static_cast<std::size_t>(rank)].tip};
    }

    void restyle() override {
        m_cards.clearCache();
        update();
    }

  private:
    // Draws the host's name, and a line above the cards of its ranks in each row.
    void paintHost(QPainter& painter, const HostGroup& host) {
        painter.setFont(theme().smallFont());
        for (std::size_t first = 0; first < host.ranks.size();) {
            const QRect begin = layout.card(host.ranks[first]);
            QRect end = begin;
            for (; first < host.ranks.size() && layout.card(host.ranks[first]).top() == begin.top(); ++first)
                end = layout.card(host.ranks[first]);
            const QRect line(begin.left(), begin.top() - layout.caption, end.right() - begin.left() + 1,
                             layout.caption);
            QString name = host.link.isEmpty() ? host.name() : tr("%1   %2").arg(host.name(), host.link);
            if (const QString clock = hostClockText(m_strip.m_run.data(), host.ranks.front()); !clock.isEmpty())
                name += QStringLiteral(" \u00b7 ") + clock;
            painter.setPen(host.slow ? theme().colors().warningText : theme().colors().muted);
            const int wide = std::min(painter.fontMetrics().horizontalAdvance(name), line.width());
            painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                             painter.fontMetrics().elidedText(name, Qt::ElideRight, line.width()));
            painter.setPen(theme().colors().border);
            if (wide + 8 < line.width())
                painter.drawLine(line.left() + wide + 6, line.center().y(), line.right(), line.center().y());
        }
    }

    const RankStrip& m_strip;
    RankCardPainter m_cards;
};

RankStrip::RankStrip(const ExperimentModel& experiment, const RunModel& run, const Theme& theme, QWidget* parent)
    : QScrollArea(parent), m_experiment(experiment), m_run(run), m_theme(theme), m_canvas(new Canvas(*this, theme)) {
    setObjectName(QStringLiteral("rankStripArea"));
    setAccessibleName(tr("Ranks"));
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);  // the copy key (Ctrl+C) copies the text of the strip only while the strip has the
                                      // keyboard focus
    setWidget(m_canvas);
    viewport()->setAutoFillBackground(false);
    m_canvas->setAutoFillBackground(false);
    connect(&experiment, &ExperimentModel::configChanged, this, &RankStrip::refresh);
    connect(&experiment, &ExperimentModel::dataChanged, this, &RankStrip::refresh);
    connect(&run, &RunModel::restarted, this, [this] {
        m_onlyReplicas.reset();
        refresh();
    });
    connect(&run, &RunModel::expectedChanged, this, &RankStrip::refresh);
    connect(&run, &RunModel::formDiffersChanged, this, &RankStrip::refresh);
    connect(&run, &RunModel::changed, this, &RankStrip::refresh);
    connect(&theme, &Theme::changed, this,
            [this] {  // a change of the theme can also change the type size, and with it the layout
                arrange();
                refresh();
            });
    refresh();
}

void RankStrip::setLive(bool live) {
    m_live = live;
    refresh();
}

void RankStrip::setLost(bool lost) {
    m_lost = lost;
    refresh();
}

void RankStrip::setMayStartAgain(bool may) {
    m_mayStartAgain = may;
    refresh();
}

namespace {

std::int64_t processesOf(const RunConfig& config) {
    return withProcessesAsRanks(config).parallel.worldSize;
}

}  // namespace

bool RankStrip::showsRun() const {
    if (!m_run.data().started() || m_run.expected()) return false;
    return m_live || !m_run.formDiffers();
}

QString RankStrip::source() const {
    if (m_run.expected()) return tr("Starting %1").arg(m_run.expected()->name);
    if (!showsRun()) return tr("Ranks planned by the form, not started");
    const RunData& run = m_run.data();
    const QString directory = QFileInfo(QString::fromStdString(run.started()->runDirectory)).fileName();
    const QString name = directory.isEmpty() ? QString::fromStdString(run.started()->name) : directory;
    const QString text = run.ended() ? tr("Run %1: %2").arg(name, QString::fromStdString(textOf(run.ended()->state)))
                                     : tr("Run %1").arg(name);
    if (m_canvas->layout.density != RankStripLayout::Density::Full) {  // smaller cards show the loss
        const bool anyLoss = std::ranges::any_of(m_cards, [](const RankCard& one) { return !one.loss.isEmpty(); });
        return anyLoss ? tr("%1. Loss of each rank").arg(text) : text;
    }
    const bool measured =
        std::ranges::any_of(run.ranks(), [](const RankData& one) { return one.samplesPerSecond > 0; });
    return measured ? tr("%1. Samples/s of each rank in the last second").arg(text) : text;
}

QString RankStrip::copyText() const {
    if (m_cards.empty()) return {};
    QString text = tr("rank\tstate\tphase\tloss\tspeed\tdetails\n");
    for (const RankCard& card : m_cards)
        text +=
            QStringList{QString::number(card.rank), card.mark, card.phase, card.loss, card.rate, card.tip.simplified()}
                .join(QLatin1Char('\t')) +
            QLatin1Char('\n');
    return text;
}

void RankStrip::showEvent(QShowEvent* event) {
    QScrollArea::showEvent(event);
    if (window() != this) window()->installEventFilter(this);
    measureWindow();
}

bool RankStrip::eventFilter(QObject* watched, QEvent* event) {
    if (watched == window() && event->type() == QEvent::Resize) measureWindow();
    return QScrollArea::eventFilter(watched, event);
}

void RankStrip::measureWindow() {
    const bool isLow = window() != this && window()->height() < kLowWindow;
    if (std::exchange(m_isLow, isLow) == isLow) return;
    arrange();
    refresh();
}

// Leaves the keys Left and Right to the window, where they control the run.
void RankStrip::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) return event->ignore();
    QScrollArea::keyPressEvent(event);
}

std::int64_t RankStrip::plannedRanks() const {
    return m_run.expected() ? m_run.expected()->ranks : processesOf(m_experiment.config());
}

RankCard RankStrip::plannedCard(int rank) const {
    const RunConfig& config = m_experiment.config();
    RankCard card;
    card.rank = rank;
    card.mark = tr("ready");
    card.line = tr("batch %1").arg(grouped(static_cast<double>(config.loader.batchSize)));
    if (m_experiment.data() && m_experiment.problems().empty()) {
        const ShardNumbers numbers = shardNumbers(epochSpec(config, m_experiment.data()->training, 0));
        card.line = tr("%1 samples   %2").arg(grouped(static_cast<double>(numbers.samplesPerRank)), card.line);
    }
    if (m_run.expected()) {
        card.mark = tr("starting");
        card.phase = tr("waiting for its process");
        card.tip = tr("Rank %1: its process is starting.").arg(rank);
        return card;
    }
    card.phase = tr("not started");
    card.tip = tr("Rank %1: one worker process. It starts when you click Run.").arg(rank);
    return card;
}

// Sets the status on the card if ranks wait for a missing rank in a collective. The card of the missing rank shows how
// long the other ranks have waited; the card of a waiting rank shows the missing rank. Returns true if any rank of the
// run waits.
bool RankStrip::showWaitStatus(RankCard& card, const RunData& run) {
    const std::optional<MissingRanks> missingRanks = findMissingRanks(run.ranks());
    if (!missingRanks) return false;
    const auto holds = [&card](const std::vector<int>& ranks) {
        return std::find(ranks.begin(), ranks.end(), card.rank) != ranks.end();
    };
    const std::int64_t seconds = (run.lastTimeUs() - missingRanks->sinceUs) / 1000000;
    if (holds(missingRanks->missing)) {
        card.mark = tr("other ranks wait %1 s").arg(seconds);
        // Before the first step a short wait is no fault, because ranks start at different times.
        if (run.lastStep() || seconds >= kMaxStartSeconds) card.tone = RankCard::Tone::Danger;
    } else if (holds(missingRanks->waiting)) {
        const int missing = missingRanks->missing.front();
        const std::string& who = run.ranks()[static_cast<std::size_t>(missing)].host;
        card.mark = who.empty() ? tr("waiting for rank %1").arg(missing)
                                : tr("waiting for %1").arg(QString::fromStdString(who));
        card.tone = RankCard::Tone::Plain;
    }
    return true;
}

RankCard RankStrip::runCard(int rank) const {
    const RunData& run = m_run.data();
    const RankData& state = run.ranks()[static_cast<std::size_t>(rank)];
    RankCard card;
    card.rank = rank;
    card.host = QString::fromStdString(state.host);
    card.mark = stageText(state.state);
    if (state.state == RankStage::kFailed && run.ended() && m_mayStartAgain) {
        card.mark = tr("may restart");
    } else if (state.state == RankStage::kFailed && run.ended() && run.ended()->firstFailedRank >= 0 &&
               run.ended()->firstFailedRank != rank) {
        card.mark = tr("stopped with the run");  // the supervisor ended this rank because another rank failed first
    } else if (state.state == RankStage::kFailed) {
        card.tone = RankCard::Tone::Danger;
    } else if (isCutOff(run, state)) {
        card.mark = tr("stopped with the run");
    } else if (run.pauses().isPaused() && !run.ended()) {
        card.mark = tr("paused");
    } else if (state.inSync && m_onlyReplicas && rank < m_onlyReplicas->size()) {
        card.mark = m_onlyReplicas->at(rank);
    } else if (state.inSync) {
        card.mark = *state.inSync ? tr("in sync") : tr("out of sync");
        card.tone = *state.inSync ? RankCard::Tone::Good : RankCard::Tone::Danger;
    }
    const bool anyRankWaits = run.ended() ? false : showWaitStatus(card, run);
    QStringList parts;
    const QString gpu = gpuText(state.gpu);
    if (!gpu.isEmpty())
        parts << gpu;  // replaces the device's name, because the card has no room for both; the tool tip shows both
    else if (!state.device.empty())
        parts << QString::fromStdString(state.device);
    // The batch size of a watched PyTorch script can be unknown, because the script can report its first step before
    // its DataLoader.
    const WatchedScript& watched = m_run.watched();
    const std::int64_t batch = watched.isWatched() ? watched.batchSize() : run.started() ? run.started()->batchSize : 0;
    if (batch > 0) parts << tr("batch %1").arg(batch);
    card.loss = lossText(state.loss);
    if (!card.loss.isEmpty()) parts << tr("loss %1").arg(card.loss);
    card.line = parts.join(QStringLiteral("   "));
    const bool over = run.ended().has_value();
    const bool lost = m_lost && !over;
    card.phase = isCutOff(run, state) && state.state ? tr("last known: %1").arg(stageText(state.state))
                 : over                              ? card.mark
                 : state.phase                       ? phaseTelemetryName(*state.phase)
                                                     : stageText(state.state);
    if (run.showsPhases() && state.slowPhase) {
        card.litPhase = litPhaseOf(*state.slowPhase);
        card.phase =
            tr("step %1: %2").arg(grouped(static_cast<double>(state.step + 1)), stepPhaseText(*state.slowPhase));
    }
    if (!over && run.pauses().isPaused()) {
        const std::optional<Phase> after = pausedPhase(run.pauses());
        if (after) card.litPhase = litPhaseOf(*after);
        card.phase = after ? tr("paused after %1").arg(phaseTelemetryName(*after)) : tr("paused");
    }
    if (over && state.state == RankStage::kStopped) card.phase = tr("stopped");
    if (over &&
        state.state ==
            RankStage::kFinished)  // in runs that older versions recorded, stopped ranks also have the state "finished"
        card.phase = run.ended()->state == RunOutcome::kStopped ? tr("stopped") : tr("finished");
    if (lost) {
        card.phase = tr("last known: %1").arg(card.phase);
        card.mark = tr("lost");
        card.tone = RankCard::Tone::Plain;
    }
    if (state.samplesPerSecond > 0 && !lost && !anyRankWaits)
        card.rate = tr("%1 samples/s").arg(grouped(state.samplesPerSecond));
    if (run.settings().throttle.any() && !lost) {
        card.rate = state.keepsThrottle ? tr("throttled %1").arg(card.rate) : tr("CPU too slow for the throttle");
        card.rate = card.rate.trimmed();
    }
    if (run.showsPhases()) card.rate = run.settings().throttle.any() ? tr("throttled") : QString();
    if (state.local && std::isfinite(state.local->accuracy))
        card.rate = tr("validation %1 %").arg(100 * state.local->accuracy, 0, 'f', 1);
    if (run.totalSteps() > 0) card.progress = static_cast<double>(state.step) / static_cast<double>(run.totalSteps());
    card.tip = tr("Rank %1, process %2\n%3\nstep %4, %5, %6 of memory")
                   .arg(rank)
                   .arg(state.pid)
                   .arg(card.line.simplified())
                   .arg(grouped(static_cast<double>(state.step)), card.phase, bytesText(state.residentBytes));
    if (!gpu.isEmpty()) card.tip += tr("\n%1: %2").arg(QString::fromStdString(state.device), gpu);
    if (state.dataUs > 0)
        card.tip += tr("\nwaited for data in %1 % of the time").arg(100 * state.dataShare(), 0, 'f', 1);
    if (!card.host.isEmpty()) card.tip += tr("\non %1").arg(card.host);
    if (const QString clock = hostClockText(run, rank); !clock.isEmpty())
        card.tip += tr("\n%1 (clock drift since the start; traces are corrected by it)").arg(clock);
    if (state.droppedSteps + state.droppedEvents > 0)
        card.tip += tr("\ncould not send %1 of its telemetry")
                        .arg(QString::fromStdString(droppedText(state.droppedSteps, state.droppedEvents)));
    return card;
}

// If each rank has its own host, the strip has no captions with the connections of the hosts; so this function adds the
// connections to the tool tips of the cards.
void RankStrip::showLinks() {
    for (const HostGroup& host : hostsWithLinks(m_run.data())) {
        if (host.link.isEmpty()) continue;
        for (const int rank : host.ranks) {
            RankCard& card = m_cards[static_cast<std::size_t>(rank)];
            card.tip += tr("\nlink to %1: %2").arg(host.name(), host.link);
            if (!host.slow || card.tone == RankCard::Tone::Danger || m_run.data().ended()) continue;
            if (host.ranks.size() == 1) card.mark = tr("slow link");
            if (host.ranks.size() == 1) card.tone = RankCard::Tone::Warning;
        }
    }
}

void RankStrip::refresh() {
    const bool ofRun = showsRun();
    const std::int64_t ranks = ofRun ? static_cast<std::int64_t>(m_run.data().ranks().size())
                                     : std::clamp<std::int64_t>(plannedRanks(), 0, kMaxCards);
    const std::size_t before = m_cards.size();
    m_cards.clear();
    if (ofRun && m_run.data().started() && !m_onlyReplicas) m_onlyReplicas = onlyReplicaTexts(m_run.data());
    for (int rank = 0; rank < ranks; ++rank) m_cards.push_back(ofRun ? runCard(rank) : plannedCard(rank));
    std::vector<HostGroup> hosts = ofRun ? hostGroups(m_run.data()) : std::vector<HostGroup>();
    // Removes the host's name from the cards of a group, because the caption above the cards shows the name.
    for (const HostGroup& group : hosts)
        for (const int rank : group.ranks) m_cards[static_cast<std::size_t>(rank)].host.clear();
    if (ofRun) showLinks();
    const bool same = std::ranges::equal(hosts, m_hosts, {}, &HostGroup::ranks, &HostGroup::ranks);
    m_hosts = std::move(hosts);
    if (m_cards.size() != before || !same) arrange();
    dropLossesWithoutRoom();
    QStringList spoken;
    for (const RankCard& card : m_cards) spoken << tr("rank %1 %2").arg(card.rank).arg(card.mark);
    setAccessibleDescription(spoken.join(QStringLiteral(", ")));
    m_canvas->update();
    if (const QString now = source(); std::exchange(m_source, now) != now) Q_EMIT sourceChanged(now);
}

void RankStrip::arrange() {
    std::vector<int> order;
    for (const HostGroup& group : m_hosts) order.insert(order.end(), group.ranks.begin(), group.ranks.end());
    m_canvas->layout =
        RankStripLayout::of(static_cast<int>(m_cards.size()), viewport()->width(), std::move(order),
                            m_isLow ? RankStripLayout::Density::Compact : RankStripLayout::Density::Full);
    m_canvas->resize(viewport()->width(), m_canvas->layout.height());
    setFixedHeight(m_canvas->layout.visibleHeight());
}

// Hides the losses on the smallest cards if one of the losses does not fit. The tool tips still show the losses.
void RankStrip::dropLossesWithoutRoom() {
    const RankStripLayout& layout = m_canvas->layout;
    if (layout.density != RankStripLayout::Density::Mini) return;
    const auto fits = [&](const RankCard& card) { return RankCardPainter::fitsMini(card, layout.cardWidth, m_theme); };
    if (std::ranges::all_of(m_cards, fits)) return;
    for (RankCard& card : m_cards) card.loss.clear();
}

void RankStrip::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    arrange();
    refresh();  // shows or hides the losses again, because they may fit now
}

}  // namespace ringside
