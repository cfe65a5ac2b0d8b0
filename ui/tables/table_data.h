// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>

namespace ringside {

// Numbers of a picture as rows that are computed on demand: a plan of millions of samples costs nothing until its table
// is scrolled or written. row() may be called on any thread. Numbers are in the C locale.
struct TableData {
    static constexpr qint64 kMostCopied = 100'000;  // maximum number of rows in a text for the clipboard

    QString name;  // base name of a saved file, such as "grid-epoch-2"
    QStringList columns;
    qint64 rows = 0;
    std::function<QStringList(qint64 row)> row;
};

// Returns a table of rows that exist already.
TableData tableOf(const QString& name, const QStringList& columns, QList<QStringList> rows);

// Returns a line of CSV (RFC 4180) without its end. A field with a comma, a quote or a line break is quoted.
QString csvLine(const QStringList& fields);

// Writes a table as CSV. Returns the reason of a failure, or an empty text; leaves no file if stopped.
QString writeCsv(const TableData& table, const QString& file, const std::atomic<bool>& stop);

// Returns the table as lines of cells that tabs separate, with its columns first; at most kMostCopied rows. A line
// break or a tab within a cell becomes a space.
QString tabText(const TableData& table);

}  // namespace ringside
