// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCheckBox>
#include <QFrame>
#include <QLabel>
#include <QVBoxLayout>

#include "identity/text_source.h"
#include "shards/summary/epoch_summary.h"

namespace ringside {

class Theme;
class Verification;

// Panel with the numbers of an epoch, and below them whether the ranks trained on the planned samples.
class EpochSummaryPanel : public QFrame, public TextSource {
    Q_OBJECT
  public:
    EpochSummaryPanel(Theme& theme, QWidget* parent = nullptr);

    void setRows(const QList<EpochSummaryRow>& rows);
    void setOrderHash(const QString& hash);
    void setVerification(const QString& sentence, Tone tone);
    void setProgress(const QString& sentence);  // sets a sentence about the progress of a run in the selected epoch
    QString copyText() const override;          // returns the rows, followed by the sentences below them
    QCheckBox& follow() const { return *m_follow; }
    QVBoxLayout& extraLayout() { return *m_extra; }  // returns the layout below the verification

  Q_SIGNALS:
    // Emitted when the pointer enters a row, with its name and tip, or leaves it, with empty texts.
    void rowHovered(const QString& name, const QString& tip);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct RowLabels {
        QFrame* frame;
        QLabel* name;
        QLabel* value;
        QFrame* line;  // line above the row; null for the first row
    };
    RowLabels addRow();
    void showRows(qsizetype count);

    Theme& m_theme;
    QWidget* m_rowsBox = nullptr;
    qsizetype m_rowsShown = 0;
    QVBoxLayout* m_extra = nullptr;
    QList<RowLabels> m_rows;
    QLabel* m_verification = nullptr;
    QLabel* m_progress = nullptr;
    QCheckBox* m_follow = nullptr;
    QLabel* m_hash = nullptr;
};

}  // namespace ringside
