// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSpinBox>

namespace ringside {

// Number field that keeps invalid text, so that the form can report the problem. The arrow buttons change whole numbers
// by one, and real numbers along the series 1, 2, 5, 10, 20, ...
class NumberSpinBox final : public QAbstractSpinBox {
    Q_OBJECT
  public:
    enum class Kind { Integer, Real };

    NumberSpinBox(Kind kind, QWidget* parent = nullptr);

    void setNumberText(const QString& text);
    // Sets a word, such as "off", that the field shows instead of the number `number`.
    void setWord(const QString& number, const QString& word);
    QString numberText() const { return !m_word.isEmpty() && text().trimmed() == m_word ? m_wordNumber : text(); }
    // Sets the smallest value that the down arrow can reach.
    void setMinimum(double least) { m_least = least; }

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
