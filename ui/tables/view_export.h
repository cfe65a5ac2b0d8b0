// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QPushButton>
#include <QTimer>
#include <functional>

#include "controls/latest_work.h"
#include "pages/page.h"
#include "tables/table_data.h"

namespace ringside {

// Button with a menu that shows a view as a table and saves it as CSV, PNG and SVG. Files are written on a worker
// thread.
class ViewExport : public QPushButton {
    Q_OBJECT
  public:
    using Table = std::function<TableData()>;

    // page: start of the button's object name, such as "shards" for "shardsMoreButton".
    explicit ViewExport(const QString& page, QWidget* parent = nullptr);
    // Forwards the signals pathWanted(), saved() and failed() to the signals savePathWanted(), saved() and failed() of
    // `page`, which the window handles.
    void reportTo(Page& page);
    void addTable(const QString& text, Table table);  // adds another table that can be saved as CSV
    // Function that writes a file on a worker thread. Returns the reason of a failure as a sentence; empty on success.
    using Writer = std::function<QString()>;
    // Adds an entry that saves another file of the view. prepare() copies the data on the window's thread and returns
    // the function that writes the data.
    void addFile(const QString& text, const QString& name, const QString& suffix,
                 const std::function<Writer(const QString& file)>& prepare);
    void setView(Table table, std::function<QWidget*()> picture);
    QList<QAction*> saveActions() const;  // returns the actions of the menu except the switch for the table
    bool tableShown() const { return m_showTable->isChecked(); }

    // Saves a table or a picture, and emits messageReady() when the file is written. The suffix of `file` determines
    // the format: CSV for .csv, SVG for .svg, PNG for all others.
    void saveTable(const TableData& table, const QString& file);
    void savePicture(const QString& file);
    void saveFile(const Writer& writer, const QString& file);

  Q_SIGNALS:
    // Requests the path of a new file.
    void pathWanted(const QString& suggestion, const QString& filter, const ringside::PathTaken& taken);
    void tableToggled(bool shown);
    void messageReady(const QString& sentence, bool failed);
    void saved(const QString& sentence);  // emitted after messageReady() if the file was written
    void failed(const QString& sentence);

  private:
    void choosePath(const QString& name, const QString& suffix, const PathTaken& save);
    void report(const QString& file, const QString& problem);
    void reportBusy(const QString& file);
    bool isBusy() const { return m_work.isBusy() || m_settle.isActive(); }
    bool settleForAMoment();
    void writePicture();

    Table m_table;
    std::function<QWidget*()> m_picture;
    QAction* m_showTable = nullptr;
    QAction* m_extra = nullptr;  // addTable() inserts its action before this one
    LatestWork m_work;
    QTimer m_settle;
    QString m_pictureFile;
};

}  // namespace ringside
