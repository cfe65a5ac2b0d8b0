// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "data/preview/preview.h"

class QComboBox;
class QLineEdit;
class QPushButton;
class QSpinBox;
class QVBoxLayout;

namespace ringside {

// Fields for the settings of a data file. Shows only the settings that could not be detected from the file; the button
// "Change detected settings" shows all settings.
class ImportQuestions final : public QWidget {
    Q_OBJECT
  public:
    explicit ImportQuestions(QWidget* parent = nullptr);

    void show(const DataPreview& preview);
    void writeChoices(DatasetConfig& choices) const;  // writes the choices of the user into `choices`
    void chooseLabel(int column);
    void setLabelsPath(const QString& path);
    void showLess();  // shows only the fields of settings that could not be detected

  Q_SIGNALS:
    void choicesChanged();
    void browseRequested();  // emitted when the user wants to choose the file with the labels

  private:
    QWidget* addRow(QVBoxLayout* column, const QString& caption, QWidget* control, QWidget* extra = nullptr);
    QComboBox* makeChoice(const char* name, const QString& accessible);
    void addControls(QVBoxLayout* column);
    void fillLabels(const DataPreview& preview);
    void fillMissing(const DataPreview& preview);
    void showRows();

    std::string labelText(bool byNumber) const;

    DataPreview m_preview;
    QComboBox *m_readAs, *m_label, *m_header, *m_missing;
    QLineEdit* m_labelsPath;
    QSpinBox* m_imageSize;
    QWidget *m_readAsRow, *m_labelRow, *m_headerRow, *m_missingRow, *m_labelsPathRow, *m_imageSizeRow;
    QPushButton* m_more;
};

}  // namespace ringside
