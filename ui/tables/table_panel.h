// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTableView>
#include <QWidget>

#include "tables/table_model.h"

namespace ringside {

// Panel with a table that shows one page of rows at a time. If there are several pages, shows below the table which
// rows are visible, and buttons for the previous and the next page.
class TablePanel : public QWidget {
    Q_OBJECT
  public:
    // page: start of the object names of the panel's widgets, such as "shards" for "shardsTableView".
    explicit TablePanel(const QString& page, QWidget* parent = nullptr);
    void setTable(const TableData& table);
    const TableData& table() const { return m_model.table(); }

  Q_SIGNALS:
    // emitted when the user selects a row; row: index of the row in the complete table, from 0
    void rowChosen(qint64 row);

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void placeColumns();
    QWidget* makePager();
    QPushButton* addPageButton(const QString& text, const QString& tip, const char* name, int pages);
    void showPage();

    TableModel m_model;
    QTableView* m_view = nullptr;
    QWidget* m_pager = nullptr;
    QLabel* m_rows = nullptr;
    QPushButton *m_back = nullptr, *m_on = nullptr;
};

}  // namespace ringside
