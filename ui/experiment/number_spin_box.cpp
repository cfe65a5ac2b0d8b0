// SPDX-License-Identifier: GPL-3.0-or-later
#include "experiment/number_spin_box.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QWheelEvent>
#include <cmath>
#include <limits>

#include "words/field_text.h"

namespace ringside {
namespace {

// Returns the number of the series ... 0.1, 0.2, 0.5, 1, 2, 5, 10 ... that is next above (direction > 0) or next below
// `value`, which must be positive.
double nextOfSeries(double value, int direction) {
    const double decade = std::pow(10.0, std::floor(std::log10(value) + 1e-9));
    const double digit = value / decade;
    const double slack = 1e-6;
    if (direction > 0) return decade * (digit < 2 - slack ? 2 : digit < 5 - slack ? 5 : 10);
    return decade * (digit > 5 + slack ? 5 : digit > 2 + slack ? 2 : digit > 1 + slack ? 1 : 0.5);
}

}  // namespace

NumberSpinBox::NumberSpinBox(Kind kind, QWidget* parent)
    : QAbstractSpinBox(parent), m_kind(kind), m_least(-std::numeric_limits<double>::infinity()) {
    setFocusPolicy(Qt::StrongFocus);
    connect(lineEdit(), &QLineEdit::textEdited, this, &NumberSpinBox::numberEdited);
}

void NumberSpinBox::setWord(const QString& number, const QString& word) {
    m_wordNumber = number;
    m_word = word;
}

void NumberSpinBox::setNumberText(const QString& text) {
    lineEdit()->setText(!m_word.isEmpty() && text == m_wordNumber ? m_word : text);
}

void NumberSpinBox::stepBy(int steps) {
    for (int i = 0; i < std::abs(steps); ++i) step(steps > 0 ? 1 : -1);
    lineEdit()->selectAll();
    Q_EMIT numberEdited();
}

void NumberSpinBox::step(int direction) {
    if (m_kind == Kind::Integer) {
        const auto value = parseInteger(numberText());
        const std::int64_t next = value ? *value + direction : static_cast<std::int64_t>(std::max(m_least, 0.0));
        if (static_cast<double>(next) >= m_least) setNumberText(QString::number(next));
        return;
    }
    const auto value = parseReal(numberText());
    if (!value) return setNumberText(QStringLiteral("0"));
    if (*value <= 0) {
        if (direction > 0 || m_least <= 0)
            setNumberText(direction > 0 ? QStringLiteral("0.0001") : QStringLiteral("0"));
        return;
    }
    const double next = nextOfSeries(*value, direction);
    if (next >= m_least || direction > 0) setNumberText(QString::number(next, 'g', 6));
}

QValidator::State NumberSpinBox::validate(QString&, int&) const {
    return QValidator::Acceptable;
}

// Leaves the keys for undo, redo and "?" to the shortcuts of the window. The base class would pass these keys to its
// line edit, which accepts them even if it has nothing to undo.
bool NumberSpinBox::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo) || key->text() == QLatin1String("?")) {
            event->ignore();
            return true;
        }
    }
    return QAbstractSpinBox::event(event);
}

QAbstractSpinBox::StepEnabled NumberSpinBox::stepEnabled() const {
    return StepUpEnabled | StepDownEnabled;
}

// The wheel changes the value only if the field has the focus; if not, it scrolls the form.
void NumberSpinBox::wheelEvent(QWheelEvent* event) {
    if (hasFocus()) return QAbstractSpinBox::wheelEvent(event);
    event->ignore();
}

// Does not call QAbstractSpinBox::focusOutEvent(), which would replace invalid text by a value when the field loses the
// focus.
void NumberSpinBox::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);  // NOLINT(bugprone-parent-virtual-call): left out on purpose
    lineEdit()->event(event);
    lineEdit()->deselect();
    Q_EMIT editingFinished();
}

// Changes the value for the keys Up and Down. Ignores Enter, so that the window receives this key.
void NumberSpinBox::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        lineEdit()->selectAll();
        event->ignore();
        return;
    }
    QAbstractSpinBox::keyPressEvent(event);
}

}  // namespace ringside
