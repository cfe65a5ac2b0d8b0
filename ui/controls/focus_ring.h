// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointer>
#include <QWidget>

namespace ringside {

// Outline around the control of a window that has the keyboard focus. The outline appears when a key has moved the
// focus to the control, and disappears with the next click.
class FocusRing final : public QWidget {
    Q_OBJECT
  public:
    // Watches the focus in `window`, but not in its dialogs.
    explicit FocusRing(QWidget& window);

    const QWidget* control() const { return m_control; }  // returns the outlined control; null if there is none

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void frame(QWidget* control);
    void placeRing();
    void clear();

    QWidget& m_window;
    QPointer<QWidget> m_control;
};

}  // namespace ringside
