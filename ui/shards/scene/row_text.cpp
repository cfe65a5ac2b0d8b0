// SPDX-License-Identifier: GPL-3.0-or-later
#include "shards/scene/row_text.h"

#include <QStringList>
#include <algorithm>
#include <vector>

namespace ringside {
namespace {

constexpr std::int64_t kShownFeatures = 8;
constexpr int kDigits = 5;

}  // namespace

QString rowText(const Dataset& data, std::int64_t sample) {
    const SampleShape shape = data.shape();
    if (shape.isImage() || shape.features <= 0) return {};
    if (shape.isSequence) {
        QString text = QString::fromStdString(data.text(sample));
        text.replace(QLatin1Char('\n'), QChar(0x23ce));  // replaces line breaks by the return symbol
        return QStringLiteral("\u201c") + text + QStringLiteral("\u201d");
    }
    std::vector<float> values(static_cast<std::size_t>(shape.features));
    data.features(sample, values);
    QStringList shown;
    for (std::int64_t at = 0; at < std::min(kShownFeatures, shape.features); ++at) {
        const QString name = QString::fromStdString(data.featureName(at)).left(40);
        const double value = data.unscaled(at, values[static_cast<std::size_t>(at)]);
        shown << (name.isEmpty() ? QString() : name + QLatin1Char(' ')) + QString::number(value, 'g', kDigits);
    }
    if (shape.features > kShownFeatures) shown << QStringLiteral("...");
    return shown.join(QStringLiteral(", "));
}

}  // namespace ringside
