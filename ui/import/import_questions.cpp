// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/import_questions.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include "theme/theme.h"
#include "theme/type_length.h"
#include "words/field_text.h"
#include "words/form_fields.h"

namespace ringside {
namespace {

constexpr TypePixels kCaptionWidth{150};
constexpr int kMaxImageSide = 4096;
// the preview shortens longer column names, so names of this length may be incomplete
constexpr std::size_t kLongName = 80;

template <NamedChoice T>
void choose(QComboBox* box, T value) {
    box->setCurrentIndex(std::max(0, box->findData(choiceText(value))));
}

template <NamedChoice T>
void readChoice(const QComboBox* box, T& value) {
    value = choiceNamed<T>(box->currentData().toString().toStdString()).value_or(value);
}

QString columnText(const DataPreview& preview, int number) {
    const std::string& name = preview.columns[static_cast<std::size_t>(number)].name;
    if (preview.header && !name.empty()) return QString::fromStdString(name).left(80);
    return ImportQuestions::tr("column %1").arg(number);
}

}  // namespace

ImportQuestions::ImportQuestions(QWidget* parent) : QWidget(parent) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Theme::kSpace2);
    addControls(column);
    m_more = new QPushButton(tr("Change detected settings"), this);
    m_more->setObjectName(QStringLiteral("importMoreButton"));
    m_more->setProperty("role", "disclosure");
    m_more->setToolTip(tr("Show all settings for this data, also those that Ringside has detected"));
    m_more->setAutoDefault(false);
    m_more->setCheckable(true);
    column->addWidget(m_more, 0, Qt::AlignLeft);
    connect(m_more, &QPushButton::toggled, this, &ImportQuestions::showRows);
    showRows();
}

void ImportQuestions::addControls(QVBoxLayout* column) {
    m_readAs = makeChoice("importReadAsComboBox", tr("Format of the file: table or text"));
    m_readAs->addItem(tr("A table: each row is a sample"), QStringLiteral("csv"));
    m_readAs->addItem(tr("A text: each part of the text is a sample"), QStringLiteral("text"));
    m_readAsRow = addRow(column, tr("Format"), m_readAs);
    m_label = makeChoice("importLabelComboBox", tr("Column that the model predicts"));
    m_labelRow = addRow(column, tr("Predict"), m_label);
    m_missing = makeChoice("importMissingComboBox", tr("What happens to rows with missing values"));
    m_missingRow = addRow(column, tr("Missing values"), m_missing);
    m_header = makeChoice("importHeaderComboBox", tr("Contents of the first line: column names or data"));
    m_header->addItem(tr("Detect"), QStringLiteral("auto"));
    m_header->addItem(tr("Column names"), QStringLiteral("yes"));
    m_header->addItem(tr("Data"), QStringLiteral("no"));
    m_headerRow = addRow(column, tr("First line"), m_header);

    m_labelsPath = new QLineEdit(this);
    m_labelsPath->setObjectName(QStringLiteral("importLabelsLineEdit"));
    m_labelsPath->setAccessibleName(tr("Choose the file with the labels"));
    m_labelsPath->setToolTip(tr("File with the labels of these samples"));
    auto* browse = new QPushButton(tr("Browse"), this);
    browse->setObjectName(QStringLiteral("importLabelsButton"));
    browse->setToolTip(tr("Choose the file with the labels"));
    browse->setAutoDefault(false);
    m_labelsPathRow = addRow(column, tr("File with the labels"), m_labelsPath, browse);
    connect(m_labelsPath, &QLineEdit::editingFinished, this, &ImportQuestions::choicesChanged);
    connect(browse, &QPushButton::clicked, this, &ImportQuestions::browseRequested);

    m_imageSize = new QSpinBox(this);
    m_imageSize->setObjectName(QStringLiteral("importSizeSpinBox"));
    m_imageSize->setAccessibleName(tr("Side length of the images"));
    m_imageSize->setToolTip(
        tr("Side length in pixels to which every image is scaled; 0 uses the size of the first image"));
    m_imageSize->setRange(0, kMaxImageSide);
    m_imageSize->setKeyboardTracking(false);
    m_imageSizeRow = addRow(column, tr("Image size, pixels"), m_imageSize);
    connect(m_imageSize, &QSpinBox::valueChanged, this, &ImportQuestions::choicesChanged);
}

QComboBox* ImportQuestions::makeChoice(const char* name, const QString& accessible) {
    auto* box = new QComboBox(this);
    box->setObjectName(QString::fromLatin1(name));
    box->setAccessibleName(accessible);
    box->setToolTip(accessible);
    connect(box, &QComboBox::activated, this, &ImportQuestions::choicesChanged);
    return box;
}

QWidget* ImportQuestions::addRow(QVBoxLayout* column, const QString& caption, QWidget* control, QWidget* extra) {
    auto* row = new QWidget(this);
    auto* line = new QHBoxLayout(row);
    line->setContentsMargins(0, 0, 0, 0);
    line->setSpacing(Theme::kSpace2);
    auto* label = new QLabel(caption, row);
    label->setProperty("role", "muted");
    label->setBuddy(control);
    label->setFixedWidth(kCaptionWidth);
    line->addWidget(label);
    line->addWidget(control, 1);
    if (extra != nullptr) line->addWidget(extra);
    column->addWidget(row);
    return row;
}

void ImportQuestions::show(const DataPreview& preview) {
    m_preview = preview;
    const QSignalBlocker blocked[] = {QSignalBlocker(m_labelsPath), QSignalBlocker(m_imageSize)};
    choose(m_readAs, preview.dataset.kind);
    if (preview.dataset.kind == DatasetKind::kCsv) {
        fillLabels(preview);
        fillMissing(preview);
        choose(m_header, preview.dataset.header);
        m_header->setItemText(0, preview.header ? tr("Column names (detected)") : tr("Data (detected)"));
    }
    m_labelsPath->setText(QString::fromStdString(preview.dataset.labelsPath));
    m_labelsPath->setPlaceholderText(preview.notes.empty() ? tr("labels found in the same folder") : QString());
    m_imageSize->setValue(static_cast<int>(preview.dataset.imageSize));
    if (preview.firstImage.isImage()) {
        m_imageSize->setSpecialValueText(
            tr("size of the first image, %1 x %2").arg(preview.firstImage.width).arg(preview.firstImage.height));
    }
    showRows();
}

void ImportQuestions::fillLabels(const DataPreview& preview) {
    m_label->clear();
    for (int i = 0; i < static_cast<int>(preview.columns.size()); ++i) m_label->addItem(columnText(preview, i));
    m_label->setCurrentIndex(preview.labelColumn);
}

void ImportQuestions::fillMissing(const DataPreview& preview) {
    m_missing->clear();
    const QString rows = groupedText(preview.rowsWithMissing);
    m_missing->addItem(preview.rowsWithMissing == 1  ? tr("Leave out the row with a missing value")
                       : preview.rowsWithMissing > 1 ? tr("Leave out the %1 rows with a missing value").arg(rows)
                                                     : tr("Leave out rows with a missing value"),
                       QStringLiteral("drop"));
    m_missing->addItem(tr("Replace missing values by the training mean"), QStringLiteral("mean"));
    m_missing->addItem(tr("Refuse a file with missing values"), QStringLiteral("refuse"));
    choose(m_missing, preview.dataset.missing);
}

void ImportQuestions::showRows() {
    const bool all = m_more->isChecked();
    const bool table = m_preview.dataset.kind == DatasetKind::kCsv;
    const bool array = m_preview.dataset.kind == DatasetKind::kIdx || m_preview.dataset.kind == DatasetKind::kNpy;
    m_readAsRow->setVisible(m_preview.tableOrText);
    m_labelRow->setVisible(table && (all || !m_preview.labelIsSure));
    m_missingRow->setVisible(table && (all || m_preview.rowsWithMissing > 0 || m_preview.partial));
    m_headerRow->setVisible(table && all);
    m_labelsPathRow->setVisible(array && (all || !m_preview.notes.empty() || !m_preview.dataset.labelsPath.empty()));
    m_imageSizeRow->setVisible(m_preview.dataset.kind == DatasetKind::kImageFolder);
    m_more->setVisible(table || array);
}

void ImportQuestions::writeChoices(DatasetConfig& choices) const {
    if (m_preview.tableOrText) readChoice(m_readAs, choices.kind);
    if (m_preview.dataset.kind == DatasetKind::kCsv) {
        readChoice(m_header, choices.header);
        readChoice(m_missing, choices.missing);
        choices.labelColumn = labelText(choices.header != m_preview.dataset.header);
    }
    choices.labelsPath = m_labelsPath->text().trimmed().toStdString();
    choices.imageSize = m_imageSize->value();
}

// Returns the label column as text for the configuration: the name of the column or, if `byNumber` is true or the name
// is not unique, the number of the column.
std::string ImportQuestions::labelText(bool byNumber) const {
    const int column = m_label->currentIndex();
    if (column == m_preview.labelColumn && !m_preview.dataset.labelColumn.empty() && !byNumber)
        return m_preview.dataset.labelColumn;
    const auto name = [&](int at) { return m_preview.columns[static_cast<std::size_t>(at)].name; };
    bool own = m_preview.header && !byNumber && !name(column).empty() && name(column).size() < kLongName;
    for (int other = 0; own && other < column; ++other) own = name(other) != name(column);
    return own ? name(column) : std::to_string(column);
}

void ImportQuestions::chooseLabel(int column) {
    if (m_preview.dataset.kind != DatasetKind::kCsv || column == m_label->currentIndex()) return;
    m_label->setCurrentIndex(column);
    Q_EMIT choicesChanged();
}

void ImportQuestions::showLess() {
    m_more->setChecked(false);
}

void ImportQuestions::setLabelsPath(const QString& path) {
    m_labelsPath->setText(path);
    Q_EMIT choicesChanged();
}

}  // namespace ringside
