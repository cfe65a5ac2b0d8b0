// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/verification.h"

#include <QCryptographicHash>
#include <QLocale>
#include <QtEndian>
#include <algorithm>

#include "data/dataset.h"
#include "models/plan_model.h"
#include "models/run_model.h"

namespace ringside {
namespace {

constexpr qint64 kChunk = 4096;

template <class IndexAt>
QByteArray hashed(qint64 count, IndexAt indexAt) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    std::vector<qint64> chunk;
    for (qint64 at = 0; at < count; ++at) {
        chunk.push_back(qToLittleEndian<qint64>(indexAt(at)));
        if (static_cast<qint64>(chunk.size()) == kChunk || at + 1 == count) {
            hash.addData(QByteArrayView(reinterpret_cast<const char*>(chunk.data()),
                                        static_cast<qsizetype>(chunk.size() * sizeof(qint64))));
            chunk.clear();
        }
    }
    return hash.result().toHex();
}

}  // namespace

std::string trainedHash(const ShardPlan& plan, int rank) {
    const qint64 trained = plan.trainedOf(rank);
    return hashed(trained, [&](qint64 slot) { return plan.index(rank, slot); }).toStdString();
}

QString orderHash(const ShardPlan& plan) {
    const auto order = plan.order();
    QString hash = QString::fromLatin1(hashed(static_cast<qint64>(order.size()), [&](qint64 at) {
                                           return qint64{order[static_cast<std::size_t>(at)]};
                                       }).left(16));
    for (const int at : {12, 8, 4}) hash.insert(at, QLatin1Char(' '));
    return hash;
}

Verification::Verification(const RunModel& run, QObject* parent) : QObject(parent), m_run(run) {
    m_pool.setMaxThreadCount(1);
    connect(&run, &RunModel::restarted, this, &Verification::restart);
    connect(&run, &RunModel::changed, this, [this](unsigned changes) {
        if (changes & (kRunStartedChanged | kRanksChanged | kEpochsChanged | kEndChanged)) look();
    });
    look();
}

Verification::~Verification() {
    m_pool.clear();
    m_pool.waitForDone();
}

void Verification::restart() {
    ++m_runNumber;
    m_config.reset();
    m_state = {};
    m_asked.clear();
    Q_EMIT changed();
}

void Verification::look() {
    const auto& started = m_run.data().started();
    if (!started) {
        return;
    }
    if (!m_config) {
        Problems problems;
        auto config = RunConfig::fromJson(started->config, &problems);
        if (!config) {
            return;
        }
        m_config = config.value();
        m_samples = started->trainingSamples;
        m_state.ranks = started->worldSize;
        m_state.epochs = started->epochs;
        Q_EMIT changed();
    }
    std::map<qint64, std::vector<Consumed>> byEpoch;
    for (const RankData& rank : m_run.data().ranks()) {
        for (const Consumed& consumed : rank.consumed) {
            if (!m_asked.contains(consumed.epoch)) byEpoch[consumed.epoch].push_back(consumed);
        }
    }
    for (const auto& [epoch, consumed] : byEpoch) {
        if (static_cast<int>(consumed.size()) >= m_state.ranks) {
            m_asked.insert(epoch);
            check(epoch, consumed);
        }
    }
}

void Verification::check(qint64 epoch, const std::vector<Consumed>& consumed) {
    m_pool.start([this, spec = shardSpec(*m_config, m_samples, epoch), dataset = m_config->dataset, epoch, consumed,
                  run = m_runNumber]() mutable {
        std::vector<Mismatch> found;
        if (needsClasses(spec.kind)) {
            const Result<DataSplit> data = loadDataset(dataset);
            if (data && data.value().training->size() == spec.datasetSize) spec.data = data.value().training;
        }
        const auto plan = ShardPlan::make(spec);
        for (const Consumed& actual : consumed) {
            const bool known = plan.ok() && actual.rank >= 0 && actual.rank < spec.worldSize;
            if (!known || trainedHash(plan.value(), actual.rank) != actual.sha256) {
                found.push_back({actual.rank, epoch});
            }
        }
        QMetaObject::invokeMethod(
            this,
            [this, found, run] {
                if (run != m_runNumber) {
                    return;
                }
                m_state.verifiedEpochs += found.empty() ? 1 : 0;
                m_state.mismatches.insert(m_state.mismatches.end(), found.begin(), found.end());
                Q_EMIT changed();
            },
            Qt::QueuedConnection);
    });
}

QString Verification::sentence() const {
    const QLocale locale;
    if (!m_config) {
        return {};
    }
    if (!m_state.mismatches.empty()) {
        const Mismatch& first = m_state.mismatches.front();
        const QString more =
            m_state.mismatches.size() > 1 ? tr(" (and %1 more)").arg(m_state.mismatches.size() - 1) : QString();
        return tr("Not as planned: rank %1 trained other samples in epoch %2%3")
            .arg(first.rank)
            .arg(first.epoch)
            .arg(more);
    }
    if (m_state.verifiedEpochs == 0) {
        return tr("The first epoch is not finished yet");
    }
    return tr("verified: %1 of %2 epochs on %3 ranks")
        .arg(locale.toString(m_state.verifiedEpochs), locale.toString(m_state.epochs), locale.toString(m_state.ranks));
}

}  // namespace ringside
