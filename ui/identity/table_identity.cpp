// SPDX-License-Identifier: GPL-3.0-or-later
#include "identity/table_identity.h"

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QTableView>
#include <QTreeView>
#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ringside {
namespace {

constexpr int kMostRows = 100'000;  // limit of the number of rows that are copied at once

constexpr std::array kColumns = {std::pair("sample", IdentityKind::Sample), std::pair("index", IdentityKind::Sample),
                                 std::pair("rank", IdentityKind::Rank), std::pair("step", IdentityKind::Step),
                                 std::pair("epoch", IdentityKind::Epoch)};

QString headingOf(const QAbstractItemModel& model, int column) {
    return model.headerData(column, Qt::Horizontal).toString();
}

// Numbers of a table may be grouped: "1,437".
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

// A cell with a line break or a tab would become two.
QString cellText(const QModelIndex& cell) {
    return cell.data().toString().simplified();
}

}  // namespace

std::vector<Identity> tableIdentitiesAt(const QAbstractItemView& view, const QPoint& point) {
    std::vector<Identity> found;
    const QModelIndex cell = view.indexAt(point);
    if (!cell.isValid()) return found;
    const QAbstractItemModel& model = *view.model();
    for (int column = 0; column < model.columnCount(); ++column) {
        const QString heading = headingOf(model, column).toLower();
        for (const auto& [name, kind] : kColumns) {
            std::int64_t number = 0;
            if (heading != QLatin1String(name) || !readNumber(cell.siblingAtColumn(column).data().toString(), number))
                continue;
            found.push_back({kind, number});
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
        for (int row = 0; row < std::min(model->rowCount(), kMostRows); ++row) rows.insert(row);
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
