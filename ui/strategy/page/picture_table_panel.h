// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QScrollArea>
#include <QStackedLayout>

#include "controls/elided_label.h"
#include "controls/flow_layout.h"
#include "identity/text_source.h"
#include "tables/table_panel.h"

namespace ringside {

// Panel with a title, a sentence and a picture. It can show a table with the numbers of the picture in its place.
class PictureTablePanel final : public QFrame, public TextSource {
    Q_OBJECT
  public:
    PictureTablePanel(const QString& title, const QString& stem, QWidget* picture, QWidget* parent = nullptr);

    void setSentence(const QString& sentence) { m_sentence->setWhole(sentence); }
    void setNote(const QString& note);  // sets the text below the picture; empty: no text
    void addControl(QWidget* control) { m_head->addWidget(control); }
    void addPicture(QWidget* picture);  // adds another picture; showPicture() selects the visible one
    void showPicture(int number);
    void showTable(bool table);
    void setTable(const TableData& table) { m_table->setTable(table); }
    QString copyText() const override;  // returns the sentence and the numbers of the picture

  private:
    FlowLayout* m_head;
    ElidedLabel* m_sentence;
    ElidedLabel* m_note;
    QStackedLayout* m_stack;  // contains the table, followed by the pictures
    int m_picture = 0;
    bool m_asTable = false;
    TablePanel* m_table;
};

}  // namespace ringside
