// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/qt_messages.h"

#include <QString>
#include <QtGlobal>

namespace ringside {
namespace {

QtMessageHandler passOn = nullptr;

void filter(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    // Qt warns if the variable XDG_RUNTIME_DIR is unset or its folder belongs to another user, as under sudo and in
    // containers. Ringside does not use this variable.
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
