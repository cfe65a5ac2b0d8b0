// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/table_data.h"

#include <QObject>
#include <QSaveFile>
#include <algorithm>
#include <memory>
#include <utility>

namespace ringside {
namespace {

constexpr qint64 kRowsBetweenStops = 1024;

QString quoted(QString field) {
    const bool plain = std::ranges::none_of(field, [](QChar c) {
        return c == QLatin1Char(',') || c == QLatin1Char('"') || c == QLatin1Char('\n') || c == QLatin1Char('\r');
    });
    if (plain) return field;
    return QLatin1Char('"') + field.replace(QLatin1Char('"'), QStringLiteral("\"\"")) + QLatin1Char('"');
}

QByteArray encodedLine(const QStringList& fields) {
    return csvLine(fields).toUtf8() + '\n';
}

QString tabLine(QStringList cells) {
    for (QString& cell : cells)
        for (const char special : {'\t', '\n', '\r'}) cell.replace(QLatin1Char(special), QLatin1Char(' '));
    return cells.join(QLatin1Char('\t'));
}

}  // namespace

TableData tableOf(const QString& name, const QStringList& columns, QList<QStringList> rows) {
    auto held = std::make_shared<const QList<QStringList>>(std::move(rows));
    return {name, columns, held->size(), [held](qint64 row) { return (*held)[row]; }};
}

QString csvLine(const QStringList& fields) {
    QStringList all;
    for (const QString& field : fields) all << quoted(field);
    return all.join(QLatin1Char(','));
}

QString writeCsv(const TableData& table, const QString& file, const std::atomic<bool>& stop) {
    QSaveFile out(file);
    const auto failure = [&] {
        return QObject::tr(
                   "%1 cannot be written (%2): check the permissions and the free space, or choose another directory")
            .arg(file, out.errorString());
    };
    if (!out.open(QIODevice::WriteOnly)) return failure();
    bool fits = out.write(encodedLine(table.columns)) >= 0;
    for (qint64 row = 0; row < table.rows && fits; ++row) {
        if (row % kRowsBetweenStops == 0 && stop) {
            out.cancelWriting();
            return QObject::tr("%1 was not written: saving was cancelled").arg(file);
        }
        fits = out.write(encodedLine(table.row(row))) >= 0;
    }
    // flush() is needed because commit() alone does not report that buffered data could not be written
    if (fits && out.flush() && out.commit()) return {};
    out.flush();  // writes again, so that out.errorString() contains the error of the failed write
    return failure();
}

QString tabText(const TableData& table) {
    QStringList lines{tabLine(table.columns)};
    const qint64 rows = table.row ? std::min(table.rows, TableData::kMaxCopied) : 0;
    for (qint64 row = 0; row < rows; ++row) lines << tabLine(table.row(row));
    return table.columns.isEmpty() ? QString() : lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace ringside
