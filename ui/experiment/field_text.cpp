// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/field_text.h"

#include <QLocale>
#include <QStringList>
#include <cmath>

namespace ringside {

std::optional<std::int64_t> parseInteger(const QString& text) {
    bool ok = false;
    const qlonglong value = text.trimmed().toLongLong(&ok);
    if (!ok) return {};
    return value;
}

std::optional<double> parseReal(const QString& text) {
    bool ok = false;
    const double value = text.trimmed().toDouble(&ok);
    if (!ok || !std::isfinite(value)) return {};
    return value;
}

std::optional<std::vector<std::int64_t>> parseIntegerList(const QString& text) {
    std::vector<std::int64_t> values;
    if (text.trimmed().isEmpty()) return values;
    for (const QString& part : text.split(QLatin1Char(','))) {
        const auto value = parseInteger(part);
        if (!value) return {};
        values.push_back(*value);
    }
    return values;
}

QString realText(double value) {
    return QString::number(value, 'g', QLocale::FloatingPointShortest);
}

QString integerListText(const std::vector<std::int64_t>& values) {
    QStringList parts;
    for (const std::int64_t value : values) parts << QString::number(value);
    return parts.join(QStringLiteral(", "));
}

QString groupedText(std::int64_t value) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}

}  // namespace ringside
