// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/failure_cause.h"

#include "base/text/last_error_line.h"
#include "words/form_fields.h"

namespace ringside {

QString failureCause(const QByteArray& standardError) {
    return inFormWords(
        QString::fromStdString(lastErrorLine({standardError.data(), static_cast<std::size_t>(standardError.size())})));
}

}  // namespace ringside
