// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QList>
#include <QString>
#include <QStringList>
#include <QWidget>
#include <functional>
#include <optional>

namespace ringside {

// Function that receives the path that the user has chosen.
using PathTaken = std::function<void(const QString& path)>;

// Numbers about the sample plans and the drawing of a page, which the debug overlay shows.
struct PageFigures {
    double planMs = 0;      // time that the last plan took, in milliseconds
    qint64 plansMade = 0;   // number of plans that were computed
    qint64 cacheHits = 0;   // number of plans that were taken from the cache
    qint64 cellsDrawn = 0;  // number of samples in the last picture
};

// Keyboard shortcut of a page, as the dialog "Keyboard shortcuts" lists it.
struct PageShortcut {
    QString keys;  // keys as text, such as "W / S"
    QString what;
};

// Base class of the pages of the window. To add a page, write a subclass in a folder of its own and add a row to
// pageTable(). The window derives the tab, the key, the entry of the View menu, the value of --page and the entry in
// the list of keys from the page object.
//
// All functions are called on the GUI thread and must return soon: a page does long computations on other threads. The
// tab widget of the window owns the page (Navigator::add()). The page owns the actions and widgets that its functions
// return. A page opens no file dialog: it requests a path by a signal, and reports the outcome of file operations by
// the signals saved() and failed().
class Page : public QWidget {
    Q_OBJECT
  public:
    // `name`, such as "shards", identifies the page in --page and in the settings file. `title` is the text of the tab.
    Page(const QString& name, const QString& title, QWidget* parent = nullptr) : QWidget(parent), m_title(title) {
        setObjectName(name + QStringLiteral("Page"));
    }

    QString name() const { return objectName().chopped(4); }  // the object name is the name with the suffix "Page"
    QString title() const { return m_title; }

    // True if all visible parts are completely drawn, so that a screenshot can be taken.
    virtual bool isSettled() const { return true; }
    // Returns the widgets of the page that the window repaints one after another, in several frames, after a change of
    // the data set or of the number of ranks. Empty: the whole page is repainted in one frame.
    virtual QList<QWidget*> paintParts() const { return {}; }
    virtual PageFigures figures() const { return {}; }
    // True if the page shows the progress of a live run. The window then does not switch to another page when a run
    // starts.
    virtual bool showsRunProgress() const { return false; }
    // Returns the commands that save contents of the page and are possible now, for the File menu and the command
    // finder.
    virtual QList<QAction*> exportActions() const { return {}; }
    // Returns the numbers of the visible picture as text, for the clipboard; empty if there are no numbers.
    virtual QString copyText() const { return {}; }
    virtual QList<PageShortcut> shortcuts() const { return {}; }  // returns the keyboard shortcuts within the page
    // Returns the widget that receives the keyboard focus when the user opens the page with its keyboard shortcut;
    // null: the focus does not change.
    virtual QWidget* keyboardWidget() const { return nullptr; }
    // One of several alternative views of the page, such as the view "map" in "shards/map".
    struct View {
        QString name;   // name of the view in --page, such as "map"
        QString title;  // text of the button of the view
        QString words;  // synonyms of the view by which the command finder finds it
    };
    virtual QList<View> views() const { return {}; }  // returns the views; empty if the page has only one
    virtual void showView(const QString&) {}          // shows the view with this name, which is in views()

    // The window calls showStep(), showRank(), showLastSteps() and find() when the user chooses a step, a rank, the end
    // of the run or a sample outside of this page. The default implementations do nothing.

    // Marks a step (counted from 1) of an epoch (counted from 0). Without a step, removes the mark. If goToRank is
    // given, also scrolls to this rank's part of the step.
    virtual void showStep(std::optional<qint64> /*step*/, qint64 /*epoch*/, std::optional<int> /*goToRank*/) {}
    virtual void showRank(int) {}         // shows a rank, counted from 0
    virtual void showLastSteps() {}       // shows the last steps of the run
    virtual void find(const QString&) {}  // searches for a text in the find box of the page

  Q_SIGNALS:
    // Emitted to let the user choose a path: savePathWanted() for a new file with a suggested name, openPathWanted()
    // for an existing file.
    void savePathWanted(const QString& suggestion, const QString& filter, const ringside::PathTaken& taken);
    void openPathWanted(const QString& title, const QString& filter, const ringside::PathTaken& taken);
    // Emitted after a file was written, or could not be read or written. The window shows the sentence.
    void saved(const QString& sentence);
    void failed(const QString& sentence);

  private:
    QString m_title;
};

}  // namespace ringside
