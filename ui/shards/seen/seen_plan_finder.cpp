// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/seen/seen_plan_finder.h"

#include <algorithm>

#include "models/run_model.h"

namespace ringside {
namespace {

constexpr std::chrono::milliseconds kShortestWait{1000}, kLongestWait{64'000};

std::int64_t epochOf(const RunModel& run) {
    return run.data().lastStep() ? run.data().lastStep()->epoch : -1;
}

}  // namespace

SeenPlanFinder::SeenPlanFinder(const RunModel& run, QObject* parent) : QObject(parent), m_run(run) {
    m_later.setSingleShot(true);
    connect(&m_later, &QTimer::timeout, this, &SeenPlanFinder::read);
    connect(&run, &RunModel::restarted, this, &SeenPlanFinder::restart);
    connect(&run, &RunModel::changed, this, [this] {
        m_hasNews = true;
        readLater();
    });
}

void SeenPlanFinder::restart() {
    m_work.cancel();
    m_later.stop();
    m_readEpoch = -1;
    m_wasOver = false;
    m_hasNews = false;
    m_wait = std::chrono::milliseconds(0);
    if (!m_plan) return;
    m_plan.reset();
    Q_EMIT changed(m_plan, 0);
}

void SeenPlanFinder::readLater() {
    if (!m_run.isWatched() || m_run.expected() || m_wasOver || m_work.isBusy()) return;
    if (m_run.data().ended()) return m_later.start(0);
    const bool isKnown = m_plan && epochOf(m_run) == m_readEpoch;
    if (!isKnown && !m_later.isActive()) m_later.start(m_wait);
}

void SeenPlanFinder::read() {
    if (m_run.directory().isEmpty() || !m_run.data().started()) return;
    m_wait = std::clamp(2 * m_wait, kShortestWait, kLongestWait);
    m_hasNews = false;
    m_wasOver = m_run.data().ended().has_value();
    m_readEpoch = std::max<std::int64_t>(0, epochOf(m_run));
    m_work.requestLatest(
        this,
        [path = std::filesystem::path(m_run.directory().toStdString())](const LatestWork::Stop& stop) {
            return readPlannedSamples(path, stop);
        },
        [this](const SeenSamples& samples) { setSamples(samples); });
}

// Publishes the plan only after at least one batch has confirmed it, because the plan predicts the next samples.
void SeenPlanFinder::setSamples(const SeenSamples& samples) {
    const bool isConfirmed = samples.plan && samples.asPlanned > 0;
    const std::optional<SeenPlan> plan = isConfirmed ? samples.plan : std::nullopt;
    if (plan != m_plan) {
        m_plan = plan;
        Q_EMIT changed(m_plan, samples.loader);
    }
    if (m_hasNews) readLater();
}

}  // namespace ringside
