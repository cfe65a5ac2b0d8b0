// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace ringside {

// Label of one or more lines whose minimum height is that of its text at its present width. A QLabel with word wrap may
// be squeezed to one line.
class WrappedText final : public QLabel {
    Q_OBJECT
  public:
    explicit WrappedText(QWidget* parent = nullptr);

  protected:
    bool event(QEvent* event) override;

  private:
    void keepHeight();

    QString m_keptText;  // text and width for which the minimum height was computed
    int m_keptWidth = -1;
};

}  // namespace ringside
