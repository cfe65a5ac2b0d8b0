// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/import_sentences.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <algorithm>

#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr std::size_t kNamed = 12;
constexpr qsizetype kMaxName = 60;

QString text(const char* source) {
    return QCoreApplication::translate("Import", source);
}

QString typeText(ColumnType type) {
    switch (type) {
        case ColumnType::kInteger:
            return text("whole numbers");
        case ColumnType::kReal:
            return text("numbers");
        case ColumnType::kText:
            return text("text");
        case ColumnType::kEmpty:
            break;
    }
    return text("empty");
}

// Returns the name with only letters, digits, - and _, because it becomes a part of the run directory's name.
QString plainName(const QString& given) {
    QString name;
    for (const QChar c : given.left(kMaxName)) {
        const bool plain = c.isLetterOrNumber() || c == QLatin1Char('-') || c == QLatin1Char('_');
        name += plain ? c : QLatin1Char('-');
    }
    return name;
}

}  // namespace

QString kindTitle(const DataPreview& preview) {
    return choiceLabel(choiceText(preview.dataset.kind));
}

QString previewSentence(const DataPreview& preview) {
    QString sentence = QString::fromStdString(preview.summary);
    if (preview.firstImage.isImage()) {
        sentence +=
            text("; the first image has %1 x %2 pixels").arg(preview.firstImage.width).arg(preview.firstImage.height);
    }
    if (!sentence.isEmpty()) sentence[0] = sentence[0].toUpper();
    return sentence + QLatin1Char('.');
}

QString classesSentence(const std::vector<PreviewClass>& classes) {
    if (classes.empty()) return {};
    QStringList names;
    for (std::size_t i = 0; i < std::min(classes.size(), kNamed); ++i) {
        names << QStringLiteral("%1 (%2)").arg(QString::fromStdString(classes[i].name), groupedText(classes[i].count));
    }
    if (classes.size() > kNamed) names << text("...");
    return text("%1 classes: %2.").arg(groupedText(qint64(classes.size())), names.join(QStringLiteral(", ")));
}

QString columnTip(const PreviewColumn& column) {
    QString tip = QString::fromStdString(column.name) + QStringLiteral(": ") + typeText(column.type);
    if (column.type == ColumnType::kInteger || column.type == ColumnType::kReal)
        tip += text(" from %1 to %2").arg(column.least).arg(column.most);
    const bool counted = column.distinct < kMaxPreviewDistinct;
    tip += text(", %1 distinct values").arg(counted ? groupedText(column.distinct) : text("1,000 or more"));
    if (column.missing > 0) tip += text(", %1 missing").arg(groupedText(column.missing));
    return tip;
}

std::string suggestedName(const RunConfig& config) {
    const DatasetConfig& data = config.dataset;
    const QString stem =
        data.path.empty() ? choiceText(data.kind) : QFileInfo(QString::fromStdString(data.path)).baseName();
    return plainName(stem + QLatin1Char('-') + choiceText(config.model.kind)).toStdString();
}

}  // namespace ringside
