// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace ringside {

// Label with wrapped text whose minimum height is the height of the whole text at the present width. A layout can
// reduce a plain QLabel with word wrap to one line.
class WrappedText final : public QLabel {
    Q_OBJECT
  public:
    explicit WrappedText(QWidget* parent = nullptr);

  protected:
    bool event(QEvent* event) override;

  private:
    void keepHeight();

    QString m_keptText;  // text for which the minimum height was computed last, at the width m_keptWidth
    int m_keptWidth = -1;
};

}  // namespace ringside
