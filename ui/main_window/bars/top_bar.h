// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QList>
#include <QMenuBar>
#include <QPushButton>
#include <QSlider>

#include "controls/elided_label.h"

namespace ringside {

class PlanModel;
class Theme;
struct WindowActions;

// The bar at the top of the window: name, menus, controls of the run, sliders of the speed and the epoch, and the
// theme. In a narrow window the controls are below the menus.
class TopBar final : public QFrame {
    Q_OBJECT
  public:
    TopBar(const WindowActions& actions, PlanModel& plan, const Theme& theme, QWidget* parent = nullptr);

    // Shows the reason why Run is disabled next to the buttons; empty: Run is enabled.
    void setRunBlocked(const QString& reason);
    void refreshEpochs();

    // Shows a maximum number of steps per second (0: full speed) as text, and moves the slider to the nearest value of
    // TimeControls::kSpeeds.
    void setSpeed(double stepsPerSecond);

    QSize minimumSizeHint() const override;

  Q_SIGNALS:
    void speedChosen(int index);
    void reasonClicked();

  protected:
    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

  private:
    void addWidgets(const WindowActions& actions);
    void addControls(const WindowActions& actions);
    QPushButton* makeButton(QAction* action, const QString& name);
    void addEpochCursor(QHBoxLayout& line);
    void addSpeed(QHBoxLayout& line);
    void sizeForType();
    void arrange();
    void placeControls(bool below);
    int widthOfOneRow() const;

    PlanModel& m_plan;
    const Theme& m_theme;
    QGridLayout* m_grid = nullptr;
    QMenuBar* m_menus = nullptr;
    QWidget* m_controls = nullptr;
    QList<QPushButton*> m_buttons;
    QPushButton* m_themeButton = nullptr;
    bool m_isBelow = false;  // true if the controls are below the menus
    ElidedLabel* m_reason = nullptr;
    QLabel* m_speedCaption = nullptr;
    QSlider* m_speed = nullptr;
    QLabel* m_speedText = nullptr;
    QLabel* m_epochCaption = nullptr;
    QSlider* m_epoch = nullptr;
    QLabel* m_epochText = nullptr;
};

}  // namespace ringside
