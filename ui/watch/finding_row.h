// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <vector>

#include "identity/identity.h"
#include "telemetry/events/events.h"

namespace ringside {

// One finding about a watched script: what was found with its numbers, the line of the script, and the remedy. The line
// and the remedy are beside the text, or below it in a narrow row. The row has the menu of the ranks, steps and epochs
// that the finding is about.
class FindingRow final : public QFrame, public IdentitySource {
    Q_OBJECT
  public:
    // canOpen: true if the line of the script can be opened in an editor.
    FindingRow(const Finding& finding, bool canOpen, QWidget* parent = nullptr);

    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  Q_SIGNALS:
    void lineClicked(const QString& where);  // emitted by a click on the line of the finding, such as "train.py:48"

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void addLink(QBoxLayout& column, const Finding& finding, bool canOpen);

    QBoxLayout* m_row;
    std::vector<Identity> m_things;
};

// Returns the ranks that the text of a finding names, and the ranks, steps and epochs of its evidence: each once, ranks
// before steps before epochs, at most 16.
std::vector<Identity> identitiesIn(const Finding& finding);

// Returns the numbers that a finding is based on, one in each line: "equal_indices: 320".
QString evidenceText(const Finding& finding);

}  // namespace ringside
