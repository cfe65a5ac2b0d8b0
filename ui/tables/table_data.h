// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>

namespace ringside {

// Table with the numbers of a picture. row() computes a row when it is called, so that the table need not store its
// rows, of which there can be millions. row() may be called on any thread. Numbers are formatted in the C locale.
struct TableData {
    static constexpr qint64 kMaxCopied = 100'000;  // maximum number of rows in a text for the clipboard

    QString name;  // base name of a saved file, such as "grid-epoch-2"
    QStringList columns;
    qint64 rows = 0;
    std::function<QStringList(qint64 row)> row;
};

// Returns a table with the given rows, which are stored in the table.
TableData tableOf(const QString& name, const QStringList& columns, QList<QStringList> rows);

// Returns a line of CSV (RFC 4180) without its end. A field with a comma, a quote or a line break is quoted.
QString csvLine(const QStringList& fields);

// Writes a table as CSV. Returns the reason of a failure, or an empty text. If `stop` becomes true, stops writing and
// returns a text that states this. An existing file is only replaced by a completely written one.
QString writeCsv(const TableData& table, const QString& file, const std::atomic<bool>& stop);

// Returns the table as lines of cells that tabs separate, with its columns first; at most kMaxCopied rows. A line
// break or a tab within a cell becomes a space.
QString tabText(const TableData& table);

}  // namespace ringside
