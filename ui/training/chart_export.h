// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QImage>
#include <QString>
#include <QStringList>

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace ringside {

// Writes what a widget shows, as .svg, or as PNG at twice the size. Returns why it failed, or nothing.
QString exportPicture(QWidget& widget, const QString& file);

bool isSvg(const QString& file);

// The two halves of a PNG: drawing needs the window's thread, writing takes ten times as long and may be on any.
QImage pictureOf(QWidget& widget);
QString savePng(const QImage& picture, const QString& file);

// Writes lines of text. Returns why it failed, or nothing.
QString exportText(const QStringList& lines, const QString& file);

}  // namespace ringside
