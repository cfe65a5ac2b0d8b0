// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QButtonGroup>
#include <QWidget>

namespace ringside {

// A few choices side by side, one of them on, or none after setNone().
class SegmentedControl : public QWidget {
    Q_OBJECT
  public:
    struct Choice {
        QString text;
        QString tip;
        QString objectName;
    };

    SegmentedControl(const QList<Choice>& choices, QWidget* parent = nullptr);

    int current() const { return m_group.checkedId(); }  // -1: none
    void setCurrent(int index);
    void setNone();             // what is chosen is not among them
    void setTight(bool tight);  // where there is little room
    void setChoiceEnabled(int index, bool enabled, const QString& tip);

  Q_SIGNALS:
    void chosen(int index);

  private:
    QButtonGroup m_group;
};

}  // namespace ringside
