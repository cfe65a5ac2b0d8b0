// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QButtonGroup>
#include <QWidget>

namespace ringside {

// Row of buttons, one for each of a few choices. One choice is selected, or none after setNone(). The buttons wrap into
// several rows if the width is too small.
class SegmentedControl : public QWidget {
    Q_OBJECT
  public:
    struct Choice {
        QString text;
        QString tip;
        QString objectName;
    };

    SegmentedControl(const QList<Choice>& choices, QWidget* parent = nullptr);

    // Returns the index of the selected choice; -1 if none is selected.
    int current() const { return m_group.checkedId(); }
    void setCurrent(int index);
    void setNone();             // clears the selection, for a value that is not one of the choices
    void setTight(bool tight);  // true: reduces the padding, when space is scarce
    void setChoiceEnabled(int index, bool enabled, const QString& tip);

  Q_SIGNALS:
    void chosen(int index);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // Selects the next enabled button in this direction (1 or -1), if there is one.
    void chooseNext(QAbstractButton& from, int direction);

    QButtonGroup m_group;
};

}  // namespace ringside
