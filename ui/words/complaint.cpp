// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/complaint.h"

#include "base/text/last_complaint.h"
#include "words/form_fields.h"

namespace ringside {

QString complaintIn(const QByteArray& standardError) {
    return inFormWords(
        QString::fromStdString(lastComplaint({standardError.data(), static_cast<std::size_t>(standardError.size())})));
}

}  // namespace ringside
