// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLabel>

namespace ringside {

// Label with one line of text. A text that is wider than the label ends with an ellipsis and is shown completely in the
// tooltip.
class ElidedLabel final : public QLabel {
    Q_OBJECT
  public:
    explicit ElidedLabel(QWidget* parent = nullptr, Qt::TextElideMode mode = Qt::ElideRight);

    void setWhole(const QString& text);
    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void clicked();

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;

  private:
    Qt::TextElideMode m_mode;
};

}  // namespace ringside
