// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "identity/text_source.h"
#include "launch/classroom/qr_code.h"

namespace ringside {

// Picture of a join code as a QR code. It is black on white in every theme, because scanners need this contrast.
class QrView final : public QWidget, public TextSource {
    Q_OBJECT
  public:
    explicit QrView(QWidget* parent = nullptr);
    void show(const QString& text);
    bool isEmpty() const { return m_code.isEmpty(); }
    QString copyText() const override { return isVisible() ? m_text : QString(); }
    QSize sizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;

  private:
    QrCode m_code;
    QString m_text;  // join code that the QR code contains
};

}  // namespace ringside
