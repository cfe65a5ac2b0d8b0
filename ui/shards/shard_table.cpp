// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/shard_table.h"

#include <QLocale>
#include <QSaveFile>
#include <algorithm>

namespace ringside {
namespace {

constexpr qint64 kRowsBetweenStops = 1024;
constexpr qsizetype kMostShown = 120;  // letters of a cell on screen: the table would lay out all of a long list

QString text(std::int64_t number) {
    return QString::number(number);
}

// Steps count from 1; empty: in no step.
QString stepText(std::int64_t step) {
    return step < 0 ? QString() : text(step + 1);
}

QString labelOf(const ShardScene& scene, std::int64_t sample) {
    return QString::fromStdString(scene.data->className(scene.data->label(sample)));
}

std::optional<SamplePlace> firstPlace(const ShardPlan& plan, std::int64_t sample) {
    if (sample >= plan.spec().datasetSize) return {};
    const std::vector<SamplePlace> places = plan.places(sample);
    return places.empty() ? std::nullopt : std::optional(places.front());
}

QStringList placeColumns(const std::optional<SamplePlace>& place) {
    if (!place) return {{}, {}, {}};
    return {text(place->rank), stepText(place->step), text(place->slot)};
}

bool hasClasses(const ShardScene& scene) {
    return scene.data && scene.data->classCount() > 0;
}

QString quoted(QString field) {
    const bool plain = std::ranges::none_of(field, [](QChar c) {
        return c == QLatin1Char(',') || c == QLatin1Char('"') || c == QLatin1Char('\n') || c == QLatin1Char('\r');
    });
    if (plain) return field;
    return QLatin1Char('"') + field.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QByteArray csvLine(const QStringList& fields) {
    QString line;
    for (const QString& field : fields) {
        if (&field != &fields.front()) line += QLatin1Char(',');
        line += quoted(field);
    }
    return line.toUtf8() + '\n';
}

QStringList placeRow(const ShardScene& scene, qint64 row) {
    const ShardPlan& plan = scene.plan;
    const std::int64_t world = plan.spec().worldSize;
    QStringList fields{text(plan.spec().epoch)};
    std::int64_t sample = 0;
    if (row < plan.totalSize()) {
        const auto rank = static_cast<int>(row % world);
        const std::int64_t slot = row / world;
        const CellContent content = cellContent(plan, rank, slot);
        sample = content.sample;
        fields << stepText(content.step) << text(rank) << text(slot) << text(sample)
               << (plan.isPadded(rank, slot) ? QStringLiteral("padded") : QStringLiteral("normal"));
    } else {
        sample = plan.dropped()[static_cast<std::size_t>(row - plan.totalSize())];
        fields << QString() << QString() << QString() << text(sample) << QStringLiteral("dropped");
    }
    if (hasClasses(scene)) fields << labelOf(scene, sample);
    return fields;
}

}  // namespace

ShardTable placesTable(const ShardScene& scene) {
    QStringList columns{"epoch", "step", "rank", "slot", "index", "flag"};
    if (hasClasses(scene)) columns << "class";
    const qint64 rows = scene.plan.totalSize() + static_cast<qint64>(scene.plan.dropped().size());
    return {QStringLiteral("loom-epoch-%1").arg(scene.epoch), columns, rows,
            [scene](qint64 row) { return placeRow(scene, row); }};
}

ShardTable samplesTable(const ShardScene& scene) {
    QStringList columns{"index", "rank", "step", "slot", "uses"};
    if (hasClasses(scene)) columns << "class";
    return {QStringLiteral("map-epoch-%1").arg(scene.epoch), columns, scene.plan.spec().datasetSize,
            [scene](qint64 sample) {
                QStringList fields{text(sample)};
                fields << placeColumns(firstPlace(scene.plan, sample))
                       << text(static_cast<std::int64_t>(scene.plan.places(sample).size()));
                if (hasClasses(scene)) fields << labelOf(scene, sample);
                return fields;
            }};
}

ShardTable comparisonTable(const ShardScene& scene, const ShardPlan& other, const QString& name) {
    return {name,
            {"index", "rank", "step", "slot", "other_rank", "other_step", "other_slot", "same"},
            scene.plan.spec().datasetSize,
            [plan = scene.plan, other](qint64 sample) {
                const auto here = firstPlace(plan, sample);
                const auto there = firstPlace(other, sample);
                const bool rank = here && there && here->rank == there->rank;
                const bool step = rank && here->step == there->step;
                QStringList fields{text(sample)};
                fields << placeColumns(here) << placeColumns(there)
                       << (step   ? QStringLiteral("rank and step")
                           : rank ? QStringLiteral("rank")
                                  : QString());
                return fields;
            }};
}

ShardTable biographyTable(const Biography& life) {
    return {QStringLiteral("sample-%1").arg(life.sample),
            {"epoch", "rank", "step", "slot", "uses", "batch_mates"},
            static_cast<qint64>(life.entries.size()),
            [life](qint64 row) {
                const BiographyEntry& entry = life.entries[static_cast<std::size_t>(row)];
                QStringList mates;
                for (const std::uint32_t mate : entry.batchMates) mates << text(mate);
                QStringList fields{text(entry.epoch)};
                fields << placeColumns(entry.places.empty() ? std::nullopt : std::optional(entry.places.front()))
                       << text(static_cast<std::int64_t>(entry.places.size())) << mates.join(QLatin1Char(' '));
                return fields;
            }};
}

ShardTable balanceTable(const ClassBalance& balance) {
    return {QStringLiteral("class-balance"),
            {"rank", "class", "samples", "expected", "low", "high", "outside"},
            qint64{balance.ranks} * balance.classes,
            [balance](qint64 row) {
                const auto rank = static_cast<int>(row / balance.classes);
                const auto label = static_cast<int>(row % balance.classes);
                const ChanceBand& band = balance.bands[static_cast<std::size_t>(label)];
                const auto number = [](double value) { return QString::number(value, 'f', 2); };
                return QStringList{text(rank),
                                   QString::fromStdString(balance.names[static_cast<std::size_t>(label)]),
                                   text(balance.count(rank, label)),
                                   number(band.expected),
                                   number(band.low),
                                   number(band.high),
                                   balance.outside(rank, label) ? QStringLiteral("yes") : QStringLiteral("no")};
            }};
}

ShardTable ledgerTable(const QList<LedgerRow>& rows) {
    return {QStringLiteral("ledger"), {"name", "value", "meaning"}, rows.size(), [rows](qint64 row) {
                return QStringList{rows[row].name, rows[row].value, rows[row].tip};
            }};
}

QString writeCsv(const ShardTable& table, const QString& file, const std::atomic<bool>& stop) {
    QSaveFile out(file);
    const auto failure = [&] {
        return QObject::tr("%1 cannot be written (%2): free space or choose another directory")
            .arg(file, out.errorString());
    };
    if (!out.open(QIODevice::WriteOnly)) return failure();
    bool fits = out.write(csvLine(table.columns)) >= 0;
    for (qint64 row = 0; row < table.rows && fits; ++row) {
        if (row % kRowsBetweenStops == 0 && stop) {
            out.cancelWriting();
            return QObject::tr("%1 was not written: it was stopped").arg(file);
        }
        fits = out.write(csvLine(table.row(row))) >= 0;
    }
    if (fits && out.flush() && out.commit()) return {};  // commit() alone overlooks that the end did not fit
    out.flush();                                         // a write that was cut short says why when it goes on
    return failure();
}

void ShardTableModel::setTable(ShardTable table) {
    beginResetModel();
    m_table = std::move(table);
    m_page = std::min(m_page, pageCount() - 1);
    m_cachedRow = -1;
    endResetModel();
}

void ShardTableModel::setPage(qint64 page) {
    beginResetModel();
    m_page = std::clamp<qint64>(page, 0, pageCount() - 1);
    m_cachedRow = -1;
    endResetModel();
}

int ShardTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(std::min(m_table.rows - firstRow(), kPageRows));
}

int ShardTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

QVariant ShardTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || role != Qt::DisplayRole) return {};
    if (m_cachedRow != index.row()) {
        m_cached = m_table.row(firstRow() + index.row());
        m_cachedRow = index.row();
    }
    const QString field = m_cached.value(index.column());
    return field.size() <= kMostShown ? field : field.left(kMostShown) + QStringLiteral("...");
}

QVariant ShardTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (role != Qt::DisplayRole) return {};
    return orientation == Qt::Horizontal ? QVariant(m_table.columns.value(section))
                                         : QVariant(firstRow() + section + 1);
}

}  // namespace ringside
