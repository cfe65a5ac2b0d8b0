// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QScrollArea>

namespace ringside {

// The ledger beside the views; on a narrow page a drawer over their right, which a button opens.
class LedgerSide : public QScrollArea {
    Q_OBJECT
  public:
    static constexpr int kWidth = 292;
    static constexpr int kNarrowPage = 780;

    explicit LedgerSide(QWidget* ledger, QWidget* parent = nullptr);

    // Into the row, or out of it and closed.
    void setBeside(QBoxLayout& row, bool beside);
    bool isBeside() const { return m_beside; }

  private:
    bool m_beside = false;
};

}  // namespace ringside
