// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/table_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLocale>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>
#include <vector>

#include "tables/table_cells.h"
#include "theme/theme.h"

namespace ringside {
namespace {

constexpr int kMinColumn = 72, kLargestColumn = 100;

}  // namespace

TablePanel::TablePanel(const QString& page, QWidget* parent) : QWidget(parent) {
    setProperty("role", "clear");
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(Theme::kSpace1);
    m_view = new QTableView;
    m_view->setObjectName(page + QStringLiteral("TableView"));
    m_view->setAccessibleName(tr("View as a table"));
    m_view->setModel(&m_model);
    m_view->setItemDelegate(new TableCells(TableCells::Numbers::Right, m_view));
    m_view->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_view->setSelectionMode(QAbstractItemView::SingleSelection);
    m_view->setShowGrid(false);
    m_view->horizontalHeader()->setStretchLastSection(true);
    m_view->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    m_view->verticalHeader()->setDefaultSectionSize(Theme::kControlHeight);
    layout->addWidget(m_view, 1);
    layout->addWidget(makePager());
    connect(m_view->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
        if (now.isValid()) Q_EMIT rowChosen(m_model.firstRow() + now.row());
    });
}

QWidget* TablePanel::makePager() {
    m_pager = new QWidget;
    m_pager->setProperty("role", "clear");
    auto* row = new QHBoxLayout(m_pager);
    row->setContentsMargins(0, 0, 0, 0);
    m_rows = new QLabel;
    m_rows->setObjectName(QStringLiteral("tableRowsLabel"));
    m_rows->setProperty("role", "muted");
    row->addWidget(m_rows, 1);
    m_back = addPageButton(tr("Previous rows"), tr("Previous page of rows"), "tableBackButton", -1);
    m_on = addPageButton(tr("Next rows"), tr("Next page of rows"), "tableOnButton", 1);
    m_pager->hide();
    return m_pager;
}

QPushButton* TablePanel::addPageButton(const QString& text, const QString& tip, const char* name, int pages) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(name));
    button->setToolTip(tip);
    m_pager->layout()->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, pages] {
        m_model.setPage(m_model.firstRow() / TableModel::kPageRows + pages);
        m_view->scrollToTop();
        showPage();
    });
    return button;
}

void TablePanel::setTable(const TableData& table) {
    m_model.setTable(table);
    placeColumns();
    showPage();
}

void TablePanel::resizeEvent(QResizeEvent*) {
    placeColumns();
}

// Gives all columns the same width, within the limits kMinColumn and kLargestColumn.
void TablePanel::placeColumns() {
    const int share = m_view->viewport()->width() / std::max(1, m_model.columnCount());
    const int width = std::clamp(share, kMinColumn, kLargestColumn);
    QHeaderView* header = m_view->horizontalHeader();
    const int last = m_model.columnCount() - 1;
    // does not stretch the last column if it contains numbers, because right-aligned numbers would be far from the
    // other columns
    header->setStretchLastSection(last < 0 || !m_model.isNumeric(last));
    const int before = header->defaultSectionSize();
    // columns that the user has resized, with their widths, which are kept when default widths are computed again
    std::vector<std::pair<int, int>> dragged;
    for (int column = 0; column + 1 < m_model.columnCount() && width != before; ++column) {
        if (header->sectionSize(column) != before) dragged.emplace_back(column, header->sectionSize(column));
    }
    if (width != before) header->setDefaultSectionSize(width);
    for (const auto& [column, size] : dragged) header->resizeSection(column, size);
}

void TablePanel::showPage() {
    const QLocale locale;
    const qint64 first = m_model.firstRow(), rows = m_model.table().rows;
    m_pager->setVisible(m_model.pageCount() > 1);
    m_back->setEnabled(first > 0);
    m_on->setEnabled(first + m_model.rowCount() < rows);
    m_rows->setText(
        tr("Rows %1 to %2 of %3; saving as CSV writes all rows")
            .arg(locale.toString(first + 1), locale.toString(first + m_model.rowCount()), locale.toString(rows)));
}

}  // namespace ringside
