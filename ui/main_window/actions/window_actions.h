// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <functional>

class QMenu;
class QMenuBar;
class QUndoStack;
class QWidget;

namespace ringside {

// All actions (commands) of the window. Menus, buttons, keys and the command finder use the same QAction objects.
struct WindowActions {
    WindowActions(QWidget* window, QUndoStack& undoStack);

    QAction *newExperiment, *open, *openData, *openDataFolder, *save, *saveAs, *exportScript, *openRun, *attachRun,
        *quit;
    QAction *undo, *redo, *copy;
    QAction *run, *resume, *pause, *step, *phase, *saveNow, *stop, *detach, *previousEpoch, *nextEpoch;
    QAction *watch, *comparePytorch, *launch, *invite, *join;
    QAction *theme, *log, *reduceMotion, *debugOverlay, *experiment, *resetLayout, *palette, *devices, *modelSummary;
    QAction *largerType, *smallerType, *normalType;
    QAction *keys, *about, *help, *documents, *otherPart;
    QMenu *recent, *examples, *savePage, *liveRuns;

    // Fills the menu File > Examples. begin(resource) must open an example; `resource` is its path relative to the
    // resource directory.
    void addExamples(const std::function<void(const QString& resource)>& begin);

    void fill(QMenuBar& bar) const;
    void addPage(const QString& title, const std::function<void()>& show);
    // Adds a command to the command finder that calls `show` to show a view of a page. synonyms: further search terms.
    void addView(const QString& title, const QString& synonyms, const std::function<void()>& show);
    QList<QAction*> all() const { return m_all; }

    // Sets the text of an action in menus: the text and, if a key handler of the window handles the action's keys,
    // these keys. Buttons show the text only.
    static void setMenuText(QAction& action, const QString& text);

  private:
    void makeFileActions();
    void makeEditActions(QUndoStack& undoStack);
    void makeRunActions();
    void makeViewActions();
    void setSearchTerms();
    QAction* makeAction(const char* name, const QString& text, const QString& tip, const QKeySequence& keys = {});

    QWidget* m_window;
    QList<QAction*> m_all;
    QList<QAction*> m_pages;
    QMenu* m_view;
};

}  // namespace ringside
