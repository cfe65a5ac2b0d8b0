// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/watch/verification.h"

#include <QLocale>
#include <algorithm>
#include <utility>

#include "data/sets/common/dataset.h"
#include "models/run_model.h"

namespace ringside {
namespace {

std::function<std::shared_ptr<const ClassLabels>()> classesOf(const DatasetConfig& dataset) {
    return [dataset]() -> std::shared_ptr<const ClassLabels> {
        const Result<DataSplit> data = loadDataset(dataset);
        return data ? data.value().training : nullptr;
    };
}

// Returns the configuration of a watched PyTorch script with the values of the plan that its ranks follow: sampler,
// batch size, drop_last of the loader, and number of ranks.
RunConfig withPlan(RunConfig config, const SeenPlan& plan) {
    config.sampler = plan.sampler;
    config.loader.batchSize = plan.loader.batchSize;
    config.loader.dropLast = plan.loader.dropLast;
    config.parallel.worldSize = plan.ranks;
    return config;
}

}  // namespace

Verification::Verification(const RunModel& run, QObject* parent) : QObject(parent), m_run(run) {
    connect(&run, &RunModel::restarted, this, &Verification::restart);
    connect(&run, &RunModel::changed, this, [this](unsigned changes) {
        if (changes & (kRunStartedChanged | kConsumedChanged | kEndChanged)) checkEpochs();
    });
    checkEpochs();
}

Verification::~Verification() {
    m_watch.reset();
    m_retired.waitForDone();
}

void Verification::restart() {
    ++m_runNumber;
    // Destroys the previous PlanWatch on another thread, because the destructor waits for the watch's own thread, which
    // may be computing a plan of millions of samples.
    if (m_watch) m_retired.start([old = std::shared_ptr<PlanWatch>(std::move(m_watch))]() mutable { old.reset(); });
    m_config.reset();
    m_state = {};
    m_audited.clear();
    m_wrong.clear();
    m_confirmed.clear();
    m_seen.clear();
    m_recorded.clear();
    Q_EMIT changed();
}

void Verification::setWatched(const std::optional<WatchedPlan>& plan) {
    if (plan == m_watched) return;
    m_watched = plan;
    restart();
    checkEpochs();
}

// Starts the comparison if it has not been started. Returns false if there is no run, or if its plan is not known.
bool Verification::begin() {
    const auto& started = m_run.data().started();
    if (m_watch || !started) return m_watch != nullptr;
    Problems problems;
    const Result<RunConfig> config = RunConfig::parse(started->config, "run", &problems);
    const bool isWatched = config && config.value().dataset.kind == DatasetKind::kExternal;
    if (!config || (isWatched && !m_watched)) return false;
    m_config = isWatched ? withPlan(config.value(), m_watched->plan) : config.value();
    m_samples = isWatched ? m_watched->plan.datasetSize : started->trainingSamples;
    m_state.ranks = started->worldSize;
    m_state.epochs = started->epochs;
    m_confirmed.resize(static_cast<std::size_t>(started->worldSize));
    m_seen.resize(m_confirmed.size());
    PlanWatchOptions options{.config = *m_config, .datasetSize = m_samples, .classes = classesOf(m_config->dataset)};
    options.mayEndEarly = isWatched;
    options.onResults = [this, run = m_runNumber] {
        QMetaObject::invokeMethod(
            this,
            [this, run] {
                if (run == m_runNumber) addNews();
            },
            Qt::QueuedConnection);
    };
    m_watch = std::make_unique<PlanWatch>(std::move(options));
    Q_EMIT changed();
    return true;
}

void Verification::checkEpochs() {
    if (!begin()) return;
    for (int rank = 0; rank < m_state.ranks; ++rank) passReports(rank);
    const auto& ended = m_run.data().ended();
    if (!ended) return;
    m_watch->disablePauses();
    m_recorded = ended->planVerified == false ? QString::fromStdString(ended->planMismatch) : QString();
    Q_EMIT changed();
}

// Passes to the comparison the reports of a rank that have arrived since the last call. Reports that the run model has
// already discarded are left out.
void Verification::passReports(int rank) {
    // Ignores ranks that the run does not have any more: the number of ranks may have changed since the comparison
    // began.
    if (static_cast<std::size_t>(rank) >= m_run.data().ranks().size()) return;
    const RankData& data = m_run.data().ranks()[static_cast<std::size_t>(rank)];
    Seen& seen = m_seen[static_cast<std::size_t>(rank)];
    const auto latest = [](const auto& list, qint64 count) {
        return list.end() - std::min<qint64>(count, static_cast<qint64>(list.size()));
    };
    for (auto one = latest(data.indices, data.indicesCount - seen.indices); one != data.indices.end(); ++one) {
        if (!m_watched || one->loader == m_watched->loader) m_watch->add(*one);
    }
    for (auto one = latest(data.consumed, data.consumedCount - seen.consumed); one != data.consumed.end(); ++one) {
        m_watch->add(*one);
    }
    seen = {data.consumedCount, data.indicesCount};
}

void Verification::addNews() {
    PlanResults news = m_watch->takeResults();
    for (const PlanMismatch& mismatch : news.mismatches) {
        m_wrong.emplace(mismatch.rank, mismatch.epoch);
        if (m_state.mismatches.size() < kMaxMismatches) m_state.mismatches.push_back(mismatch);
    }
    m_audited.insert(news.auditedEpochs.begin(), news.auditedEpochs.end());
    // The verified epochs are counted again at each call, because a mismatch can be found after the hashes of its epoch
    // were compared.
    std::set<qint64> verified = m_audited;
    for (const auto& [rank, epoch] : m_wrong) verified.erase(epoch);
    m_state.verifiedEpochs = static_cast<qint64>(verified.size());
    for (const PlanResults::Confirmed& one : news.confirmed) m_confirmed[static_cast<std::size_t>(one.rank)] = one;
    Q_EMIT changed();
}

// A live watched PyTorch script does not report how many epochs it will train. The number of verified epochs is used
// instead.
bool Verification::repeatsOrder() const {
    if (!m_config) return false;
    RunConfig config = *m_config;
    if (m_watched) config.training.epochs = std::max<std::int64_t>(config.training.epochs, m_state.verifiedEpochs);
    return config.repeatsOrder();
}

bool Verification::isWrong(int rank, qint64 epoch) const {
    return m_wrong.contains({rank, epoch});
}

qint64 Verification::confirmed(int rank, qint64 epoch) const {
    if (rank < 0 || static_cast<std::size_t>(rank) >= m_confirmed.size()) return 0;
    const PlanResults::Confirmed& one = m_confirmed[static_cast<std::size_t>(rank)];
    return one.epoch == epoch ? one.count : 0;
}

QString Verification::alarm() const {
    if (m_state.mismatches.empty()) return m_recorded;
    const QString first = QString::fromStdString(m_state.mismatches.front().text());
    const auto more = static_cast<qlonglong>(m_state.mismatches.size()) - 1;
    return more == 0 ? first : tr("%1 (and %2 more)").arg(first, QLocale().toString(more));
}

bool Verification::isPartial() const {
    const auto& ended = m_run.data().ended();
    return ended && ended->state != RunOutcome::kFinished;
}

QString Verification::sentence() const {
    const QLocale locale;
    if (!m_config) return {};
    if (!alarm().isEmpty()) return tr("Not as planned: %1").arg(alarm());
    if (m_samples > PlanWatch::kLargestSet) {
        return tr("Not compared: a plan of more than %1 samples would slow down the training")
            .arg(locale.toString(static_cast<qlonglong>(PlanWatch::kLargestSet)));
    }
    if (m_state.verifiedEpochs == 0)
        return m_run.data().ended() ? tr("No epoch was finished, so nothing was compared")
                                    : tr("The first epoch is not finished yet");
    const QString ranks = m_state.ranks == 1 ? tr("1 rank") : tr("%1 ranks").arg(locale.toString(m_state.ranks));
    const QString done = locale.toString(m_state.verifiedEpochs);
    const QString epochs = m_state.epochs > 0
                               ? tr("%1 of %2 epochs on %3").arg(done, locale.toString(m_state.epochs), ranks)
                               : tr("%1 epochs on %2").arg(done, ranks);
    if (repeatsOrder())
        return tr("as planned, %1, but every epoch has the same order: set_epoch is never called").arg(epochs);
    return isPartial() ? tr("verified: %1; the run did not finish").arg(epochs) : tr("verified: %1").arg(epochs);
}

}  // namespace ringside
