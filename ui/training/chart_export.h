// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <QStringList>

QT_BEGIN_NAMESPACE
class QWidget;
QT_END_NAMESPACE

namespace ringside {

// Writes what a widget shows, as .svg, or as PNG at twice the size. Returns why it failed, or nothing.
QString exportPicture(QWidget& widget, const QString& file);

// Writes lines of text. Returns why it failed, or nothing.
QString exportText(const QStringList& lines, const QString& file);

}  // namespace ringside
