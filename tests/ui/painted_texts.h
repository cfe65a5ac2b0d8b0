// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QRectF>
#include <QString>
#include <QWidget>

// A text that a widget paints itself: its ink's line box in the widget's coordinates.
struct PaintedText {
    QString text;
    QRectF place;
    bool isWhole = true;  // false if the edge of the widget or a clip cuts it
};

// Texts that the widget paints now, without those of its children. Empty texts and ellipses are left out.
QList<PaintedText> paintedTexts(QWidget& widget);
