// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/find/plan_finder.h"

#include <algorithm>

#include "models/plan_model.h"
#include "sampling/findings/coverage.h"
#include "sampling/plan/epoch_spec.h"
#include "sampling/plan/work_limits.h"
#include "words/field_text.h"

namespace ringside {
namespace {

// Searches the plan. Callable from any thread. A search for never used samples computes every epoch, up to kLargestWork
// samples.
Result<std::vector<PlanHit>> find(const ShardScene& scene, const RunConfig& config, const PlanQuery& query,
                                  const std::atomic<bool>* stop) {
    const std::int64_t n = scene.plan.spec().datasetSize;
    if (query.state != PlanQuery::State::NeverSeen) {
        const auto labels =
            scene.labels ? std::span<const std::uint16_t>(*scene.labels) : std::span<const std::uint16_t>();
        return findInPlan(scene.plan, query, labels, stop);
    }
    const std::int64_t bound = std::max<std::int64_t>(1, kLargestWork / std::max<std::int64_t>(1, n));
    const std::int64_t epochs = std::min(config.training.epochs, bound);
    std::vector<PlanHit> hits;
    const auto specAt = [&](std::int64_t epoch) {
        ShardSpec spec = epochSpec(config, n, epoch);
        spec.data = scene.plan.spec().data;
        return spec;
    };
    for (const std::uint32_t sample : neverSeenSamples(specAt, epochs, stop)) {
        const bool wanted =
            (!query.sample || *query.sample == sample) && (!query.label || (*scene.labels)[sample] == *query.label);
        if (wanted) hits.push_back({sample});
    }
    return hits;
}

}  // namespace

PlanFinder::PlanFinder(QObject* parent) : QObject(parent) {
    m_pool.setMaxThreadCount(1);
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceMs);
    connect(&m_patience, &QTimer::timeout, this, &PlanFinder::changed);
}

PlanFinder::~PlanFinder() {
    if (m_stop) *m_stop = true;
    m_pool.clear();
    m_pool.waitForDone();
}

void PlanFinder::setText(const QString& text) {
    if (text.trimmed() == m_text) return;
    m_text = text.trimmed();
    search();
}

// Sets the scene and searches it. Does not search again if the plan is unchanged and only the classes were added,
// unless the text searches for a class.
void PlanFinder::setScene(const ShardScene& scene, const RunConfig& config) {
    const bool same = m_scene && m_scene->epoch == scene.epoch && m_scene->plan.spec() == scene.plan.spec() &&
                      m_config == config &&
                      (m_scene->labels == scene.labels || !m_text.contains(QStringLiteral("class")));
    m_scene.emplace(scene);
    m_config = config;
    if (!isActive() || same) return;
    m_hits = std::make_shared<std::vector<PlanHit>>();  // removes search results of an earlier plan, which may have had
                                                        // more samples
    m_current = -1;
    search();
}

const PlanHit* PlanFinder::step(int direction) {
    const auto count = static_cast<qint64>(m_hits->size());
    if (count == 0) return nullptr;
    m_current = m_current < 0 ? (direction > 0 ? 0 : count - 1) : (m_current + direction + count) % count;
    return &(*m_hits)[static_cast<std::size_t>(m_current)];
}

void PlanFinder::fail(const QString& problem, bool waiting) {
    m_problem = problem;
    m_hits = std::make_shared<std::vector<PlanHit>>();
    m_current = -1;
    m_working = waiting;
    m_patience.stop();
    Q_EMIT changed();
}

void PlanFinder::search() {
    if (m_stop) *m_stop = true;
    m_stop.reset();
    m_pool.clear();
    if (!isActive() || !m_scene) {
        fail({});
        return;
    }
    auto query = parsePlanQuery(m_text.toStdString());
    if (query && query.value().epoch) --*query.value().epoch;  // epochs count from 1 on screen
    if (!query) {
        fail(QString::fromStdString(query.problem().text()));
    } else if (query.value().className && !resolveClass(query.value())) {
        return;
    } else if (const auto epoch = query.value().epoch; epoch && (*epoch < 0 || *epoch >= m_config.training.epochs)) {
        fail(tr("the experiment has no epoch %1: search in epochs 1 to %2")
                 .arg(epochNumber(*epoch), groupedText(m_config.training.epochs)));
    } else if (epoch && *epoch != m_scene->epoch) {
        fail({}, true);
        Q_EMIT epochWanted(static_cast<int>(*epoch));  // the search starts when setScene() is called with the requested
                                                       // epoch
    } else {
        runQuery(query.value());
    }
}

// Finds the class that the query contains as a name or as a number, and sets query.label. If a number is also the name
// of a class, the class with that name is used.
bool PlanFinder::resolveClass(PlanQuery& query) {
    const std::int64_t classes = m_scene->data ? m_scene->data->classCount() : 0;
    if (classes == 0 || !m_scene->labels) {
        fail(classes == 0 ? tr("this data set has no classes: search for a sample or a rank")
                          : tr("the classes are still being read"));
        return false;
    }
    for (std::int64_t label = 0; label < classes && !query.label; ++label) {
        if (m_scene->data->className(label) == *query.className) query.label = label;
    }
    bool number = false;
    const qlonglong label = QString::fromStdString(*query.className).toLongLong(&number);
    if (!query.label && number && label >= 0 && label < classes) query.label = label;
    if (!query.label) {
        fail(tr("class %1 does not exist: the data set has %2 classes. Search for class:0 to class:%3, or for a class "
                "name")
                 .arg(QString::fromStdString(*query.className))
                 .arg(classes)
                 .arg(classes - 1));
    }
    return query.label.has_value();
}

void PlanFinder::runQuery(const PlanQuery& query) {
    m_stop = std::make_shared<std::atomic<bool>>(false);
    const bool everyEpoch = query.state == PlanQuery::State::NeverSeen;
    const qint64 looks = everyEpoch ? m_scene->plan.spec().datasetSize * std::max<qint64>(1, m_config.training.epochs)
                                    : searchSize(m_scene->plan, query);
    if (looks <= kInstantCells) {
        setFound(std::make_shared<Result<std::vector<PlanHit>>>(find(*m_scene, m_config, query, nullptr)));
        return;
    }
    m_working = true;
    m_patience.start();
    m_pool.start([this, scene = *m_scene, config = m_config, query, stop = m_stop] {
        const auto found = std::make_shared<const Result<std::vector<PlanHit>>>(find(scene, config, query, stop.get()));
        QMetaObject::invokeMethod(
            this,
            [this, found, stop] {
                if (!*stop) setFound(found);
            },
            Qt::QueuedConnection);
    });
}

void PlanFinder::setFound(std::shared_ptr<const Result<std::vector<PlanHit>>> found) {
    if (!*found) {
        fail(QString::fromStdString(found->problem().text()));
        return;
    }
    m_problem.clear();
    const std::vector<PlanHit>* hits = &found->value();
    m_hits = Hits(std::move(found), hits);  // shared, so that a million matches are not copied
    m_current = -1;
    m_working = false;
    m_patience.stop();
    Q_EMIT changed();
}

}  // namespace ringside
