// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <set>
#include <vector>

#include "charts/curve.h"

namespace ringside {

class Theme;

// The names of a chart's curves. A click hides or shows one; a double click shows it alone, and again all.
class ChartLegend : public QWidget {
    Q_OBJECT
  public:
    explicit ChartLegend(Theme& theme, QWidget* parent = nullptr);

    void setCurves(const std::vector<Curve>& curves);
    const std::set<QString>& hidden() const { return m_hidden; }  // their keys
    QRect entryRect(const QString& key) const;

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
        bool operator==(const Entry&) const = default;
    };
    static QString moreText(std::size_t entries);  // of those that have no room
    std::vector<std::pair<Entry, QRect>> placed() const;
    const Entry* entryAt(QPoint point) const;
    void solo(const QString& key);

    Theme& m_theme;
    std::vector<Entry> m_entries;
    std::set<QString> m_hidden;
    std::set<QString> m_hiddenBefore;  // the click that begins a double click
};

}  // namespace ringside
