// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSpinBox>

namespace ringside {

// Number field that keeps invalid text; the form reports the problem. The arrows change whole numbers by one and real
// numbers along 1, 2, 5, 10.
class NumberSpinBox final : public QAbstractSpinBox {
    Q_OBJECT
  public:
    enum class Kind { Integer, Real };

    NumberSpinBox(Kind kind, QWidget* parent = nullptr);

    void setNumberText(const QString& text);
    // Sets the word that the field shows instead of `number`.
    void setWord(const QString& number, const QString& word);
    QString numberText() const { return !m_word.isEmpty() && text().trimmed() == m_word ? m_wordNumber : text(); }
    void setMinimum(double least) { m_least = least; }  // sets the lower limit of the down arrow

    void stepBy(int steps) override;
    QValidator::State validate(QString& input, int& position) const override;

  Q_SIGNALS:
    void numberEdited();  // emitted when the user has typed a number or used an arrow

  protected:
    bool event(QEvent* event) override;
    StepEnabled stepEnabled() const override;
    void wheelEvent(QWheelEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

  private:
    void step(int direction);

    Kind m_kind;
    QString m_wordNumber;
    QString m_word;
    double m_least;
};

}  // namespace ringside
