// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QList>

namespace ringside {

// Layout that places its items from left to right and wraps them into rows, as a text wraps words. Items that expand
// horizontally share the free width of their row. The minimum width is that of the widest item; the minimum height is
// that of all rows at the present width.
class FlowLayout final : public QLayout {
    Q_OBJECT
  public:
    explicit FlowLayout(QWidget* parent = nullptr, int rowSpacing = -1);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;  // takes ownership
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override { return m_items.value(index); }
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    void setGeometry(const QRect& rect) override;
    QSize sizeHint() const override;
    QSize minimumSize() const override;

  private:
    struct Row {
        QList<QLayoutItem*> items;
        QList<int> widths;
        int height = 0;
    };
    QList<Row> rowsFor(int width) const;
    int heightOf(const QList<Row>& rows) const;

    QList<QLayoutItem*> m_items;
    int m_rowSpacing;
    int m_height = 0;  // height of all rows at the present width, without the margins, in pixels
};

}  // namespace ringside
