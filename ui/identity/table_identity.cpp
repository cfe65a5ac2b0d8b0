// SPDX-License-Identifier: GPL-3.0-or-later
#include "identity/table_identity.h"

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QRegularExpression>
#include <QTableView>
#include <QTreeView>
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "identity/text_source.h"

namespace ringside {
namespace {

constexpr std::array kColumns = {std::pair("sample", IdentityKind::Sample), std::pair("index", IdentityKind::Sample),
                                 std::pair("rank", IdentityKind::Rank), std::pair("step", IdentityKind::Step),
                                 std::pair("epoch", IdentityKind::Epoch)};

QString headingOf(const QAbstractItemModel& model, int column) {
    const QVariant whole = model.headerData(column, Qt::Horizontal, Qt::EditRole);
    return (whole.isValid() ? whole : model.headerData(column, Qt::Horizontal)).toString();
}

// Parses a whole number with or without group separators, such as "1,437". Returns false if `text` is not a number.
bool readNumber(const QString& text, std::int64_t& number) {
    QString plain = text;
    plain.remove(QLatin1Char(','));
    bool isNumber = false;
    number = plain.toLongLong(&isNumber);
    return isNumber;
}

bool isShown(const QAbstractItemView& view, int column) {
    if (const auto* table = qobject_cast<const QTableView*>(&view)) return !table->isColumnHidden(column);
    if (const auto* tree = qobject_cast<const QTreeView*>(&view)) return !tree->isColumnHidden(column);
    return true;
}

bool hasHeadings(const QAbstractItemView& view) {
    return qobject_cast<const QTableView*>(&view) || qobject_cast<const QTreeView*>(&view);
}

// Returns the complete text of a cell, even if the table shows a shortened text. Replaces line breaks and tabs in the
// text by spaces, because they separate rows and cells in the copied table.
QString cellText(const QModelIndex& cell) {
    const QVariant whole = cell.data(Qt::EditRole);
    return (whole.isValid() ? whole : cell.data()).toString().simplified();
}

}  // namespace

std::vector<Identity> tableIdentitiesAt(const QAbstractItemView& view, const QPoint& point) {
    std::vector<Identity> found;
    const QModelIndex cell = view.indexAt(point);
    if (!cell.isValid()) return found;
    const QAbstractItemModel& model = *view.model();
    static const QRegularExpression ofRank(QStringLiteral("^[Rr]ank (\\d+)$"));
    if (const auto rank = ofRank.match(headingOf(model, cell.column())); rank.hasMatch())
        found.push_back({IdentityKind::Rank, rank.captured(1).toLongLong()});
    for (int column = 0; column < model.columnCount(); ++column) {
        const QString written = headingOf(model, column), heading = written.toLower();
        for (const auto& [name, kind] : kColumns) {
            std::int64_t number = 0;
            if (heading != QLatin1String(name) || !readNumber(cell.siblingAtColumn(column).data().toString(), number))
                continue;
            // In a column with the lower-case heading "epoch", epochs count from 0, as in files. In a column with
            // another spelling of the heading, such as "Epoch", epochs count from 1, as in all texts on screen.
            const bool fromOne = kind == IdentityKind::Epoch && written != heading;
            found.push_back({kind, fromOne ? number - 1 : number});
        }
    }
    return found;
}

QString tableText(const QAbstractItemView& view) {
    const QAbstractItemModel* model = view.model();
    if (model == nullptr) return {};
    std::set<int> rows;
    const QModelIndexList selected =
        view.selectionModel() ? view.selectionModel()->selectedIndexes() : QModelIndexList();
    for (const QModelIndex& cell : selected) rows.insert(cell.row());
    if (rows.size() < 2) {
        rows.clear();
        for (int row = 0; row < std::min(model->rowCount(), kMaxCopiedRows); ++row) rows.insert(row);
    }
    QStringList lines;
    const auto addLine = [&](auto textOf) {
        QStringList cells;
        for (int column = 0; column < model->columnCount(); ++column) {
            if (isShown(view, column)) cells << textOf(column);
        }
        lines << cells.join(QLatin1Char('\t'));
    };
    if (hasHeadings(view)) addLine([&](int column) { return headingOf(*model, column); });
    for (const int row : rows) addLine([&](int column) { return cellText(model->index(row, column)); });
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

}  // namespace ringside
