// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <optional>

#include "import/import_job.h"
#include "import/preview_table_model.h"

class QLabel;
class QProgressBar;
class QPushButton;
class QTableView;

namespace ringside {

class Dialogs;
class ElidedLabel;
class ImportQuestions;
class PictureRow;
class Theme;

// Dialog that shows the contents of a data file before the experiment uses it, and asks for settings that cannot be
// detected from the file. Not modal; the experiment does not change before the user clicks "Use this data".
class ImportDialog final : public QDialog {
    Q_OBJECT
  public:
    ImportDialog(Theme& theme, Dialogs& dialogs, QWidget* parent = nullptr);

    // Starts reading a file. base: data settings of the experiment, from which settings are copied that do not depend
    // on the file.
    void readFile(const QString& path, const DatasetConfig& base);
    QString whyNotUsable() const;  // returns the reason why the data cannot be used; empty if it can

  Q_SIGNALS:
    void used(const DatasetConfig& config, const std::optional<CheckedData>& data);
    void experimentFound(const QString& path);
    void runDirectoryChosen(const QString& path);

  private:
    void buildLayout();
    QWidget* makeSamples();
    QWidget* makeButtons();
    void showPreview(const Result<DataPreview>& preview);
    void showCheck(const Result<CheckedData>& checked);
    void previewNow();
    // sets m_choices to suggested settings; returns true if m_choices has changed
    bool suggest(const DataPreview& preview);
    QString statusText() const;
    void refresh();
    void showRows();
    void refreshSamples();
    void restyle();
    DatasetConfig chosenDataset() const;
    void useData();

    Theme& m_theme;
    Dialogs& m_dialogs;
    ImportJob m_job;
    DatasetConfig m_choices;
    bool m_suggested = false;  // true after suggest() was called for the file; later previews do not change m_choices
    std::optional<DataPreview> m_preview;
    std::optional<CheckedData> m_data;
    QString m_problem;
    bool m_busy = false;

    ElidedLabel* m_file;
    QLabel *m_kind, *m_summary, *m_status;
    PreviewTableModel m_rows;
    QTableView* m_table;
    PictureRow* m_pictures;
    ImportQuestions* m_questions;
    QProgressBar* m_progress;
    QPushButton* m_use;
};

}  // namespace ringside
