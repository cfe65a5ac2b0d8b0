// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QString>

namespace ringside {

// lastComplaint(), in the form's words.
QString complaintIn(const QByteArray& standardError);

}  // namespace ringside
