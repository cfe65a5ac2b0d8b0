// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QList>
#include <QRectF>
#include <QString>
#include <QWidget>

// A text that a widget paints itself. place: line box of the text, in the coordinates of the widget.
struct PaintedText {
    QString text;
    QRectF place;
    bool isWhole = true;  // false if the edge of the widget or a clip cuts it
};

// Paints the widget and returns the texts in it, without those of its children. Empty texts and ellipses are left out.
QList<PaintedText> paintedTexts(QWidget& widget);
