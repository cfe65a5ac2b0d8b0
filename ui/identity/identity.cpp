// SPDX-License-Identifier: GPL-3.0-or-later
#include "identity/identity.h"

#include <QCoreApplication>
#include <QLocale>

namespace ringside {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("identity", text);
}

QString numbered(std::int64_t number) {
    return QLocale().toString(static_cast<qlonglong>(number));
}

}  // namespace

QString identityText(const Identity& identity) {
    switch (identity.kind) {
        case IdentityKind::Rank:
            return tr("Rank %1").arg(numbered(identity.number));
        case IdentityKind::Sample:
            return tr("Sample %1").arg(numbered(identity.number));
        case IdentityKind::Step:
            return tr("Step %1").arg(numbered(identity.number));
        case IdentityKind::Epoch:
            return tr("Epoch %1").arg(numbered(identity.number + 1));
        case IdentityKind::Collective:
            return tr("Collective %1 of step %2").arg(numbered(identity.number), numbered(identity.step));
    }
    return {};
}

QString identityQuery(const Identity& identity) {
    switch (identity.kind) {
        case IdentityKind::Rank:
            return QStringLiteral("rank:%1").arg(identity.number);
        case IdentityKind::Sample:
            return QStringLiteral("#%1").arg(identity.number);
        case IdentityKind::Step:
        case IdentityKind::Epoch:
        case IdentityKind::Collective:
            return {};
    }
    return {};
}

}  // namespace ringside
