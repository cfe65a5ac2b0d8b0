// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/layout_faults.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLayout>
#include <QMenuBar>
#include <QScrollBar>
#include <QStyle>
#include <QTabBar>
#include <QTextDocument>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "controls/elided_label.h"
#include "identity/identity.h"
#include "ui/painted_texts.h"

using namespace ringside;

namespace {

constexpr int kTolerance = 1;    // px, for rounding
constexpr int kMinPicture = 12;  // px, height of a legend or a slider

QString nameOf(const QWidget& widget) {
    QString name = widget.objectName();
    if (name.isEmpty() || name.startsWith(QLatin1String("qt_")))
        name = QString::fromLatin1(widget.metaObject()->className());
    if (const auto* label = qobject_cast<const QLabel*>(&widget)) name += QStringLiteral(" '%1'").arg(label->text());
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget))
        name += QStringLiteral(" '%1'").arg(button->text());
    return name;
}

QString pathOf(const QWidget& widget) {
    QString path = nameOf(widget);
    for (const QWidget* above = widget.parentWidget(); above && !above->isWindow(); above = above->parentWidget()) {
        if (!above->objectName().isEmpty() && !above->objectName().startsWith(QLatin1String("qt_")))
            path.prepend(above->objectName() + QLatin1Char('/'));
    }
    return path;
}

bool isViewport(const QWidget& widget) {
    const auto* area = qobject_cast<const QAbstractScrollArea*>(widget.parentWidget());
    return area && area->viewport() == &widget;
}

// True if the widget has a visible scroll bar: its content may then be cut at its edge.
bool scrolls(const QWidget& widget) {
    const QList<QScrollBar*> bars = widget.findChildren<QScrollBar*>(Qt::FindDirectChildrenOnly);
    return std::ranges::any_of(bars, [](const QScrollBar* bar) { return bar->isVisible(); });
}

// True for Qt's own controls, which lay out their parts themselves.
bool laysOutItself(const QWidget& widget) {
    return qobject_cast<const QAbstractSpinBox*>(&widget) || qobject_cast<const QComboBox*>(&widget) ||
           qobject_cast<const QTabBar*>(&widget) || qobject_cast<const QAbstractScrollArea*>(&widget) ||
           qobject_cast<const QMenuBar*>(&widget);
}

QList<QWidget*> shownChildren(const QWidget& widget) {
    QList<QWidget*> shown;
    for (QObject* child : widget.children()) {
        auto* one = qobject_cast<QWidget*>(child);
        if (one && one->isVisible() && !one->isWindow()) shown << one;
    }
    return shown;
}

QString textOf(const QRect& rect) {
    return QStringLiteral("%1,%2 %3x%4").arg(rect.x()).arg(rect.y()).arg(rect.width()).arg(rect.height());
}

class Walk {
  public:
    QStringList faults;

    void visit(QWidget& widget) {
        checkText(widget);
        checkPainted(widget);
        const QList<QWidget*> children = shownChildren(widget);
        if (!laysOutItself(widget) && !isViewport(widget)) {
            for (const QWidget* child : children) checkInside(*child, widget);
            for (int i = 0; i < children.size(); ++i) {
                for (int j = i + 1; j < children.size(); ++j) checkApart(*children[i], *children[j]);
            }
        }
        for (QWidget* child : children) visit(*child);
    }

  private:
    void add(const QWidget& widget, const QString& what) { faults << pathOf(widget) + QStringLiteral(": ") + what; }

    void checkInside(const QWidget& child, const QWidget& parent) {
        if (child.width() == 0 || child.height() == 0) return;
        const QRect room = parent.rect().adjusted(-kTolerance, -kTolerance, kTolerance, kTolerance);
        if (room.contains(child.geometry())) return;
        add(child, QStringLiteral("cut by its parent: %1 in %2").arg(textOf(child.geometry()), textOf(parent.rect())));
    }

    void checkApart(const QWidget& one, const QWidget& other) {
        if (one.property("overlay").toBool() || other.property("overlay").toBool()) return;
        const QRect common = one.geometry().intersected(other.geometry());
        if (common.width() <= kTolerance || common.height() <= kTolerance) return;
        add(one, QStringLiteral("overlaps %1 by %2").arg(nameOf(other), textOf(common)));
    }

    void needsWidth(const QWidget& widget, int wanted) {
        if (widget.width() + kTolerance >= wanted) return;
        add(widget, QStringLiteral("clipped: %1 px wide, its text needs %2").arg(widget.width()).arg(wanted));
    }

    void needsHeight(const QWidget& widget, int wanted) {
        if (widget.height() + kTolerance >= wanted) return;
        add(widget, QStringLiteral("clipped: %1 px high, its text needs %2").arg(widget.height()).arg(wanted));
    }

    void checkLabel(const QLabel& label) {
        if (label.text().isEmpty()) return;
        const QFontMetrics metrics(label.font());
        const QMargins around = label.contentsMargins();
        if (label.wordWrap()) {
            const int room = label.width() - around.left() - around.right();
            const QRect text = metrics.boundingRect(QRect(0, 0, room, 10'000), Qt::TextWordWrap, label.text());
            if (label.textFormat() == Qt::RichText) return checkRichText(label, room);
            needsHeight(label, text.height() + around.top() + around.bottom());
            if (text.width() > room + kTolerance) needsWidth(label, text.width());
            return;
        }
        if (qobject_cast<const ElidedLabel*>(&label)) return needsHeight(label, metrics.height() - 2);
        needsWidth(label, label.sizeHint().width());
        needsHeight(label, metrics.height() - 2);
    }

    // Checks rich text: the widest part without a possible line break must fit into the available width.
    void checkRichText(const QLabel& label, int room) {
        QTextDocument text;
        text.setDefaultFont(label.font());
        text.setDocumentMargin(0);
        text.setHtml(label.text());
        text.setTextWidth(room);
        needsWidth(label, static_cast<int>(std::floor(text.idealWidth())));
    }

    void checkText(const QWidget& widget) {
        if (const auto* label = qobject_cast<const QLabel*>(&widget)) return checkLabel(*label);
        if (const auto* button = qobject_cast<const QAbstractButton*>(&widget)) {
            if (button->text().isEmpty() || qobject_cast<const QTabBar*>(button->parentWidget())) return;
            QString text = button->text();
            needsWidth(widget, button->fontMetrics().horizontalAdvance(text.remove(QLatin1Char('&'))));
            return needsHeight(widget, button->fontMetrics().height() - 2);
        }
        if (const auto* box = qobject_cast<const QComboBox*>(&widget)) {
            return needsWidth(widget, box->fontMetrics().horizontalAdvance(box->currentText()) + 30);
        }
        if (const auto* box = qobject_cast<const QAbstractSpinBox*>(&widget)) {
            return needsWidth(widget, box->fontMetrics().horizontalAdvance(box->text()) + 28);
        }
        if (const auto* tabs = qobject_cast<const QTabBar*>(&widget)) {
            for (int i = 0; i < tabs->count(); ++i) {
                if (!tabs->rect().contains(tabs->tabRect(i))) add(widget, tabs->tabText(i) + QStringLiteral(" is cut"));
            }
        }
        if (const auto* menus = qobject_cast<const QMenuBar*>(&widget)) {
            for (QAction* action : menus->actions()) {
                const QRect place = menus->actionGeometry(action);
                if (place.isEmpty() || !menus->rect().contains(place))
                    add(widget, action->text() + QStringLiteral(" is cut"));
            }
        }
    }

    void checkPainted(QWidget& widget) {
        if (widget.metaObject()->className() == QByteArray("QWidget") || laysOutItself(widget)) return;
        if (qobject_cast<QLabel*>(&widget) || qobject_cast<QAbstractButton*>(&widget)) return;
        if (dynamic_cast<const IdentitySource*>(&widget) && widget.height() < kMinPicture)
            add(widget, QStringLiteral("%1 px high: no room for the picture").arg(widget.height()));
        const QList<PaintedText> texts = paintedTexts(widget);
        for (int i = 0; i < texts.size(); ++i) {
            if (!texts[i].isWhole && !scrolls(widget))
                add(widget, QStringLiteral("'%1' is painted over the edge").arg(texts[i].text));
            for (int j = i + 1; j < texts.size(); ++j) {
                const QRectF common = texts[i].place.intersected(texts[j].place);
                if (common.width() <= 2 || common.height() <= 4) continue;
                add(widget, QStringLiteral("'%1' is painted on '%2'").arg(texts[i].text, texts[j].text));
            }
        }
    }
};

}  // namespace

QStringList layoutFaults(QWidget& root) {
    Walk walk;
    walk.visit(root);
    walk.faults.removeDuplicates();
    return walk.faults;
}
