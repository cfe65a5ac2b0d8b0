// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QMainWindow>
#include <QObject>

namespace ringside {

class Appearance;
class Dialogs;
class ExperimentFiles;
class ExperimentForm;
class ExperimentModel;
class Navigator;
class NoticeBar;
class RunSession;
class Settings;

// State of the window that is stored when Ringside ends and restored at the next start: layout, page, unsaved
// experiment, and the last run.
class SavedSession final : public QObject {
    Q_OBJECT
  public:
    struct Dependencies {
        QMainWindow& window;
        Settings& settings;
        Dialogs& dialogs;
        Appearance& appearance;
        ExperimentForm& form;
        Navigator& pages;
        ExperimentModel& experiment;
        ExperimentFiles& files;
        RunSession& session;
        NoticeBar& notice;
    };
    // All dependencies must outlive this object. Create this object while the window has its default layout, to which
    // resetLayout() returns.
    explicit SavedSession(const Dependencies& dependencies);

    // Restores the layout and the unsaved experiment of the last session, and offers to attach to the last run if it is
    // still live. If the last session crashed, first asks the user whether to restore.
    void restore();
    void save();
    void resetLayout();

  private:
    void offerSafeStart();
    void restoreWindowAndDraft();
    void offerLastRun();
    void offerResume(const QString& directory);

    Dependencies m_in;
    QByteArray m_firstLayout;
};

}  // namespace ringside
