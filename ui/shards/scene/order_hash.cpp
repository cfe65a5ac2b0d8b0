// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/order_hash.h"

#include <QCryptographicHash>
#include <QtEndian>
#include <algorithm>
#include <vector>

#include "sampling/plan/shard_plan.h"

namespace ringside {
namespace {

constexpr std::size_t kChunk = 4096;

}  // namespace

QString orderHash(const ShardPlan& plan, const std::atomic<bool>* stop) {
    QCryptographicHash sum(QCryptographicHash::Sha256);
    std::vector<qint64> chunk;
    for (auto order = plan.order(); !order.empty() && !(stop && *stop); order = order.subspan(chunk.size())) {
        chunk.clear();
        for (const std::uint32_t sample : order.first(std::min(kChunk, order.size()))) {
            chunk.push_back(qToLittleEndian<qint64>(sample));
        }
        sum.addData(QByteArrayView(reinterpret_cast<const char*>(chunk.data()),
                                   static_cast<qsizetype>(chunk.size() * sizeof(qint64))));
    }
    QString hash = QString::fromLatin1(sum.result().toHex().left(16));
    for (const int at : {12, 8, 4}) hash.insert(at, QLatin1Char(' '));
    return hash;
}

}  // namespace ringside
