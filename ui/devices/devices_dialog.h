// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDialog>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "devices/host_devices.h"

namespace ringside {

class DeviceQuery;
class ExperimentModel;
class Theme;

// Dialog that shows the CPU; each GPU with its memory, its links and, if it is not used, the reason; and the devices on
// which the experiment would run, with the reason. Reads the devices again each time it opens.
class DevicesDialog final : public QDialog {
    Q_OBJECT
  public:
    DevicesDialog(ExperimentModel& experiment, DeviceQuery& query, const Theme& theme, QWidget* parent);

  private:
    QVBoxLayout* addFrame();
    void queryDevices();
    void showHost(const HostDevices& host);
    void addNote(const QString& text, const char* name);
    void clearCards();
    void refreshChoice();

    ExperimentModel& m_experiment;
    DeviceQuery& m_query;
    const Theme& m_theme;
    QLabel* m_choice;
    QLabel* m_status;
    QVBoxLayout* m_cards;
    QPushButton* m_again;
};

}  // namespace ringside
