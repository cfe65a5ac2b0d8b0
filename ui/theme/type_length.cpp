// SPDX-License-Identifier: GPL-3.0-or-later
#include "theme/type_length.h"

#include <QApplication>
#include <QEvent>
#include <QVariant>
#include <utility>

namespace ringside {
namespace {

constexpr const char* kProperty = "typePercent";
constexpr int kNormal = 100;

class TypeFollower final : public QObject {
  public:
    TypeFollower(QWidget& widget, std::function<void()> apply) : QObject(&widget), m_apply(std::move(apply)) {
        widget.installEventFilter(this);
        m_apply();
    }
    bool eventFilter(QObject*, QEvent* event) override {
        if (event->type() == QEvent::StyleChange && m_percent != typePercent()) {
            m_percent = typePercent();
            m_apply();
        }
        return false;
    }

  private:
    std::function<void()> m_apply;
    int m_percent = typePercent();
};

}  // namespace

int typePercent() {
    const QVariant percent = qApp ? qApp->property(kProperty) : QVariant();
    return percent.isValid() ? percent.toInt() : kNormal;
}

void setTypeScale(int percent) {
    qApp->setProperty(kProperty, percent);
}

int typeScaled(int pixels) {
    return (pixels * typePercent() + kNormal / 2) / kNormal;
}

void followType(QWidget& widget, std::function<void()> apply) {
    new TypeFollower(widget, std::move(apply));
}

}  // namespace ringside
