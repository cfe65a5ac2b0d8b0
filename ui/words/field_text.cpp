// SPDX-License-Identifier: GPL-3.0-or-later
#include "words/field_text.h"

#include <QLocale>
#include <QStringList>
#include <algorithm>
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
    const double size = std::abs(value);
    const bool plain = size == 0 || (size >= 1e-6 && size < 1e15);
    return QString::number(value, plain ? 'f' : 'g', QLocale::FloatingPointShortest);
}

QString integerListText(const std::vector<std::int64_t>& values) {
    QStringList parts;
    for (const std::int64_t value : values) parts << QString::number(value);
    return parts.join(QStringLiteral(", "));
}

QString lossText(double loss) {
    if (!std::isfinite(loss)) return {};
    constexpr int kDigits = 4;
    QString text = QLocale::c().toString(loss, 'g', kDigits);  // without zeros at the end
    if (text.contains(QLatin1Char('e'))) return text;
    int digits = 0;  // number of significant digits
    for (const QChar one : text)
        if (one.isDigit() && (digits > 0 || one != QLatin1Char('0'))) ++digits;
    if (digits < kDigits && !text.contains(QLatin1Char('.'))) text += QLatin1Char('.');
    return text + QString(std::max(0, kDigits - digits), QLatin1Char('0'));
}

QString epochNumber(std::int64_t index) {
    return groupedText(index + 1);
}

QString groupedText(std::int64_t value) {
    return QLocale(QLocale::English).toString(static_cast<qlonglong>(value));
}

QString sentenceText(const std::string& clause) {
    QString text = QString::fromStdString(clause).trimmed();
    if (text.isEmpty()) return text;
    text[0] = text[0].toUpper();
    return text.endsWith(QLatin1Char('.')) ? text : text + QLatin1Char('.');
}

}  // namespace ringside
