// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/qt_messages.h"

#include <QString>
#include <QtGlobal>

namespace ringside {
namespace {

QtMessageHandler passOn = nullptr;

void filter(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    // Suppresses Qt's warning about XDG_RUNTIME_DIR: the variable is unset or belongs to another user under sudo and in
    // containers, and Ringside does not use it.
    const bool harmless =
        text.startsWith(QLatin1String("QStandardPaths: XDG_RUNTIME_DIR")) ||
        (text.startsWith(QLatin1String("QStandardPaths:")) && text.contains(QLatin1String("runtime directory"))) ||
        text.startsWith(QLatin1String("This plugin does not support propagateSizeHints"));
    if (!harmless || type == QtFatalMsg) passOn(type, context, text);
}

}  // namespace

void dropHarmlessQtMessages() {
    passOn = qInstallMessageHandler(filter);
}

}  // namespace ringside
