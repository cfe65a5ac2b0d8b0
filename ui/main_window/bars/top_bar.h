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

// The bar at the top: name, menus, Run and Stop, the epoch cursor, the theme. In a narrow window the controls of the
// run stand below the menus.
class TopBar final : public QFrame {
    Q_OBJECT
  public:
    TopBar(const WindowActions& actions, PlanModel& plan, const Theme& theme, QWidget* parent = nullptr);

    // Sets the reason why Run is disabled, shown next to the button; empty if it is enabled.
    void setRunBlocked(const QString& reason);
    void refreshEpochs();

    // Shows the speed as text and moves the slider to the nearest of TimeControls::kSpeeds; 0 is full speed.
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
    bool m_isBelow = false;  // true if the controls stand below the menus
    ElidedLabel* m_reason = nullptr;
    QLabel* m_speedCaption = nullptr;
    QSlider* m_speed = nullptr;
    QLabel* m_speedText = nullptr;
    QLabel* m_epochCaption = nullptr;
    QSlider* m_epoch = nullptr;
    QLabel* m_epochText = nullptr;
};

}  // namespace ringside
