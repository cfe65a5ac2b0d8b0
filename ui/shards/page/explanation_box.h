// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QLabel>

#include "identity/identity.h"
#include "identity/text_source.h"
#include "shards/scene/explanation.h"

namespace ringside {

// Box with a title such as "Why is sample 88 on rank 1?" and the arithmetic below it.
class ExplanationBox : public QFrame, public IdentitySource, public TextSource {
    Q_OBJECT
  public:
    explicit ExplanationBox(QWidget* parent = nullptr);
    void show(const Explanation& explanation);
    // Adapts the height of the box to `panelHeight`, the height of the panel that contains the box. If the box shows
    // fewer lines, its tooltip still contains all lines.
    void setRoom(int panelHeight);
    std::vector<Identity> identitiesAt(const QPoint& point) const override;
    QString copyText() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    void showLines();
    QString html(int lineHeight, qsizetype count) const;
    bool fits(const QString& text, const QFont& font) const;

    QStringList m_lines;
    std::vector<Identity> m_things;
    QLabel* m_title = nullptr;
    QLabel* m_text = nullptr;
};

}  // namespace ringside
