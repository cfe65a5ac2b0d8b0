// SPDX-License-Identifier: GPL-3.0-or-later
#include "cluster/qr_view.h"

#include <QPainter>
#include <algorithm>

namespace ringside {
namespace {

constexpr int kSide = 280;

}  // namespace

QrView::QrView(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("qrView"));
    setMinimumSize(kSide / 2, kSide / 2);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setToolTip(tr("Join code; scan it with a camera"));
    setAccessibleName(tr("Join code as a QR code"));
}

QSize QrView::sizeHint() const {
    return {kSide, kSide};
}

void QrView::show(const QString& text) {
    m_text = text;
    m_code = makeQrCode(text.toStdString());
    setVisible(!m_code.isEmpty());
    update();
}

// Draws each module (square) of the QR code with a whole number of pixels, because grey edges are hard to scan.
void QrView::paintEvent(QPaintEvent*) {
    if (m_code.isEmpty()) return;
    const int modules = m_code.width + 2 * QrCode::kQuiet;
    const int module = std::max(1, std::min(width(), height()) / modules);
    const QRect all(0, 0, module * modules, module * modules);
    QPainter painter(this);
    painter.translate((width() - all.width()) / 2, (height() - all.height()) / 2);
    painter.fillRect(all, Qt::white);
    for (int row = 0; row < m_code.width; ++row) {
        for (int column = 0; column < m_code.width; ++column) {
            if (!m_code.isBlack(row, column)) continue;
            painter.fillRect((column + QrCode::kQuiet) * module, (row + QrCode::kQuiet) * module, module, module,
                             Qt::black);
        }
    }
}

}  // namespace ringside
