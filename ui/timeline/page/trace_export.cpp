// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/page/trace_export.h"

#include <QCoreApplication>

#include "base/system/files.h"
#include "export/chrome_trace.h"

namespace ringside {

QString writeTrace(const TraceData& trace, const QString& runName, const QString& file) {
    try {
        writeFileAtomically(file.toStdString(), chromeTrace(trace, runName.toStdString()));
    } catch (const IoError& error) {
        return QCoreApplication::translate("Timeline", "Not saved: %1").arg(QString::fromUtf8(error.what()));
    }
    return {};
}

}  // namespace ringside
