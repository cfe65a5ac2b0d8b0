// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <set>
#include <vector>

#include "charts/curve.h"
#include "identity/identity.h"

namespace ringside {

class Theme;

// Legend of a chart. A click on a name hides or shows the curve. A double click shows only this curve; a second double
// click shows all curves again.
class ChartLegend : public QWidget, public IdentitySource {
    Q_OBJECT
  public:
    explicit ChartLegend(Theme& theme, QWidget* parent = nullptr);

    void setCurves(const std::vector<Curve>& curves);
    const std::set<QString>& hidden() const { return m_hidden; }  // returns the keys of the hidden curves
    QRect entryRect(const QString& key) const;
    // Returns the width in pixels of the first name together with a text such as "+3" for the other names.
    int firstNameWidth() const;
    void setAtRight(bool right);  // places the names at the right edge (the default) or at the left edge
    // Returns the rank whose curve's entry is at the point; empty if no entry is there, or if the curve does not show
    // a single rank.
    std::vector<Identity> identitiesAt(const QPoint& point) const override;

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

  Q_SIGNALS:
    void hiddenChanged(const std::set<QString>& hidden);

  protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;

  private:
    struct Entry {
        QString key, name;
        QColor color;
        bool marked;
        int rank;
        bool operator==(const Entry&) const = default;
    };
    static QString moreText(std::size_t entries);  // returns the text "+3" for 3 entries that do not fit
    std::vector<std::pair<Entry, QRect>> placed() const;
    const Entry* entryAt(QPoint point) const;
    void showOnly(const QString& key);

    Theme& m_theme;
    std::vector<Entry> m_entries;
    bool m_atRight = true;
    std::set<QString> m_hidden;
    std::set<QString> m_hiddenBefore;  // keys of the curves that were hidden before the first click of a double click
};

}  // namespace ringside
