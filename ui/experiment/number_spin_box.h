// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractSpinBox>

namespace ringside {

// A number field that keeps what was typed, also when it is out of range or no number at all: saying so is the form's
// job. Arrows step whole numbers by one and real numbers along 1, 2, 5, 10.
class NumberSpinBox final : public QAbstractSpinBox {
    Q_OBJECT
  public:
    enum class Kind { Integer, Real };

    NumberSpinBox(Kind kind, QWidget* parent = nullptr);

    void setNumberText(const QString& text);
    void setWord(const QString& number, const QString& word);  // what a number of special meaning is shown as
    QString numberText() const { return !m_word.isEmpty() && text().trimmed() == m_word ? m_wordNumber : text(); }
    void setLeast(double least) { m_least = least; }  // where the down arrow stops

    void stepBy(int steps) override;
    QValidator::State validate(QString& input, int& position) const override;

  Q_SIGNALS:
    void numberEdited();  // by the user: typed or stepped

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
