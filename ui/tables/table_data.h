// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QString>
#include <QStringList>
#include <atomic>
#include <functional>

namespace ringside {

// Table with the numbers of a picture. row() computes a row on each call, because storing millions of rows would need
// too much memory. row() may be called on any thread. Numbers are formatted in the C locale.
struct TableData {
    static constexpr qint64 kMaxCopied = 100'000;  // maximum number of rows in the text that is copied to the clipboard

    QString name;  // base name of a saved file, such as "grid-epoch-2"
    QStringList columns;
    qint64 rows = 0;
    std::function<QStringList(qint64 row)> row;
};

// Returns a table with the given rows, which are stored in the table.
TableData tableOf(const QString& name, const QStringList& columns, QList<QStringList> rows);

// Returns a line of CSV (RFC 4180) without the line break at its end. Quotes fields that contain a comma, a quote or a
// line break.
QString csvLine(const QStringList& fields);

// Writes a table to a CSV file. Returns the reason of a failure as a sentence; empty on success. If `stop` becomes
// true, cancels writing and returns a sentence that states this. Replaces an existing file only after everything was
// written.
QString writeCsv(const TableData& table, const QString& file, const std::atomic<bool>& stop);

// Returns the table as text: a line with the names of the columns, then at most kMaxCopied rows, with tabs between the
// cells. Replaces a line break or a tab within a cell by a space.
QString tabText(const TableData& table);

}  // namespace ringside
