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

// Row with one finding about a watched PyTorch script: text with numbers, line of the script, and remedy. The line and
// the remedy are to the right of the text or, in a narrow row, below the text. A right click opens a menu of the ranks,
// steps and epochs that the finding contains.
class FindingRow final : public QFrame, public IdentitySource {
    Q_OBJECT
  public:
    // canOpen: true if a click on the line of the script can open the script in an editor.
    FindingRow(const Finding& finding, bool canOpen, QWidget* parent = nullptr);

    std::vector<Identity> identitiesAt(const QPoint& point) const override;

  Q_SIGNALS:
    void lineClicked(const QString& where);  // emitted when the user clicks the line of the script; where: file and
                                             // line, such as "train.py:48"

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void addLink(QBoxLayout& column, const Finding& finding, bool canOpen);

    QBoxLayout* m_row;
    std::vector<Identity> m_things;
};

// Returns the ranks in the text of a finding, and the ranks, steps and epochs in its evidence: ranks first, then steps,
// then epochs, without duplicates, at most 16 together.
std::vector<Identity> identitiesIn(const Finding& finding);

// Returns the values that prove a finding, one per line, such as "equal_indices: 320".
QString evidenceText(const Finding& finding);

}  // namespace ringside
