// SPDX-License-Identifier: GPL-3.0-or-later
#include "main_window/actions/window_actions.h"

#include <QCoreApplication>
#include <QMenu>
#include <QMenuBar>
#include <QUndoStack>
#include <functional>

#include "commands/command_search.h"
#include "main_window/actions/examples.h"

namespace ringside {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("actions", text);
}

}  // namespace

WindowActions::WindowActions(QWidget* window, QUndoStack& undoStack) : m_window(window) {
    makeFileActions();
    makeEditActions(undoStack);
    makeRunActions();
    makeViewActions();
    setSearchTerms();
}

void WindowActions::makeFileActions() {
    newExperiment = makeAction("newAction", tr("&New experiment"),
                               tr("Discard the form and start from the built-in digits experiment"), QKeySequence::New);
    open = makeAction("openAction", tr("&Open..."), tr("Open an experiment or a data file"), QKeySequence::Open);
    openData = makeAction("openDataAction", tr("Open &data..."),
                          tr("Choose a data file and preview it. You can also drop it on the window."),
                          QKeySequence(Qt::CTRL | Qt::Key_I));
    openDataFolder =
        makeAction("openDataFolderAction", tr("Open data &folder..."),
                   tr("Choose a folder with one subfolder of images per class, or with the files of MNIST or CIFAR"));
    save = makeAction("saveAction", tr("&Save"), tr("Save the experiment"), QKeySequence::Save);
    saveAs = makeAction("saveAsAction", tr("Save &as..."), tr("Save the experiment under another name"),
                        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S));
    exportScript = makeAction("exportScriptAction", tr("&Export as PyTorch script..."),
                              tr("Write the same experiment as a script for plain PyTorch"),
                              QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E));
    openRun = makeAction("openRunAction", tr("Open &run..."), tr("Open a finished run: choose its run directory"),
                         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O));
    attachRun = makeAction("attachRunAction", tr("Choose run &directory..."),
                           tr("Watch a run that another program started: choose its run directory"),
                           QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_A));
    quit = makeAction("quitAction", tr("&Quit"), tr("Close the window"), QKeySequence(Qt::CTRL | Qt::Key_Q));
    recent = new QMenu(tr("Open re&cent"), m_window);
    recent->setObjectName(QStringLiteral("recentMenu"));
    liveRuns = new QMenu(tr("A&ttach to a live run"), m_window);
    liveRuns->setObjectName(QStringLiteral("liveRunsMenu"));
    savePage = new QMenu(tr("Export &page contents"), m_window);
    savePage->setObjectName(QStringLiteral("savePageMenu"));
    examples = new QMenu(tr("E&xamples"), m_window);
    examples->setObjectName(QStringLiteral("examplesMenu"));
    examples->setToolTipsVisible(true);
}

void WindowActions::makeEditActions(QUndoStack& undoStack) {
    undo = undoStack.createUndoAction(m_window, tr("Undo"));
    undo->setObjectName(QStringLiteral("undoAction"));
    undo->setShortcut(QKeySequence::Undo);
    redo = undoStack.createRedoAction(m_window, tr("Redo"));
    redo->setObjectName(QStringLiteral("redoAction"));
    redo->setShortcuts({QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), QKeySequence(Qt::CTRL | Qt::Key_Y)});
    copy = makeAction("copyAction", tr("&Copy as text"),
                      tr("Copy the table, the list or the numbers of the picture that has the keyboard focus"),
                      QKeySequence::Copy);
    for (QAction* action : {undo, redo}) {
        m_window->addAction(action);
        m_all << action;
    }
}

void WindowActions::makeRunActions() {
    run = makeAction("runAction", tr("&Run"), tr("Start training, one process per rank"),
                     QKeySequence(Qt::CTRL | Qt::Key_R));
    resume =
        makeAction("resumeAction", tr("R&esume this run"),
                   tr("Continue training from the newest checkpoint of the shown run, with the settings in the form"),
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R));
    stop = makeAction("stopAction", tr("&Stop"), tr("Stop after the current step and save the weights"),
                      QKeySequence(Qt::CTRL | Qt::Key_Period));
    // Pause, step and phase have no QAction shortcuts, because controls also use Space and the arrow keys: the window
    // handles these keys only if no control has handled them.
    pause = makeAction("pauseAction", tr("&Pause"), tr("Pause all ranks after the current step (Space)"));
    step = makeAction("stepAction", tr("S&tep"), tr("Train one step on all ranks, then pause (Right)"));
    phase =
        makeAction("phaseAction", tr("P&hase"),
                   tr("Advance by one phase of a step (data, forward, backward, all-reduce or optimizer), then pause "
                      "(Shift+Right)"));
    pause->setProperty("keys", tr("Space"));
    step->setProperty("keys", tr("Right"));
    phase->setProperty("keys", tr("Shift+Right"));
    for (QAction* action : {pause, step, phase}) setMenuText(*action, action->text());
    saveNow = makeAction("saveNowAction", tr("Save a &checkpoint now"), tr("Save a checkpoint and continue training"));
    detach = makeAction("detachAction", tr("&Keep running in the background"),
                        tr("Stop showing the run, which continues. You can attach to it again later."));
    watch = makeAction("watchAction", tr("&Watch a script..."),
                       tr("Run your own PyTorch script and show what its ranks train, without changing it"),
                       QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_W));
    comparePytorch = makeAction("comparePytorchAction", tr("C&ompare with PyTorch"),
                                tr("Train the same experiment with PyTorch, and compare losses, samples and weights"));
    launch = makeAction("launchAction", tr("&Launch..."),
                        tr("Run on a cluster: save or submit a script for Slurm, PBS, ssh, torchrun or mpirun"),
                        QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L));
    invite = makeAction("inviteAction", tr("&Invite ranks..."),
                        tr("Train on the computers of people who enter the join code"));
    join = makeAction("joinAction", tr("&Join..."), tr("Make this computer a rank of another person's run"));
    previousEpoch = makeAction("previousEpochAction", tr("&Previous epoch"),
                               tr("Show the shards of the previous epoch"), QKeySequence(Qt::ALT | Qt::Key_Left));
    nextEpoch = makeAction("nextEpochAction", tr("&Next epoch"), tr("Show the shards of the next epoch"),
                           QKeySequence(Qt::ALT | Qt::Key_Right));
}

void WindowActions::makeViewActions() {
    theme = makeAction("themeAction", tr("&Dark theme"), tr("Switch between light and dark"),
                       QKeySequence(Qt::CTRL | Qt::Key_D));
    log = makeAction("logAction", tr("&Log"), tr("Show or hide the log of the ranks"),
                     QKeySequence(Qt::CTRL | Qt::Key_L));
    log->setCheckable(true);
    experiment = makeAction("experimentAction", tr("&Experiment"), tr("Show or hide the experiment form"),
                            QKeySequence(Qt::CTRL | Qt::Key_E));
    experiment->setCheckable(true);
    resetLayout = makeAction("resetLayoutAction", tr("&Reset layout"),
                             tr("Return every part of the window to its default position and size"));
    largerType = makeAction("largerTypeAction", tr("L&arger type"), tr("Make all texts larger"));
    largerType->setShortcuts({QKeySequence(Qt::CTRL | Qt::Key_Plus), QKeySequence(Qt::CTRL | Qt::Key_Equal)});
    smallerType = makeAction("smallerTypeAction", tr("S&maller type"), tr("Make all texts smaller"),
                             QKeySequence(Qt::CTRL | Qt::Key_Minus));
    normalType = makeAction("normalTypeAction", tr("&Normal type"), tr("Give all texts their normal size"),
                            QKeySequence(Qt::CTRL | Qt::Key_0));
    reduceMotion = makeAction("reduceMotionAction", tr("Reduce &motion"), tr("Show changes without animation"));
    reduceMotion->setCheckable(true);
    debugOverlay =
        makeAction("debugOverlayAction", tr("&Drawing performance"),
                   tr("Show frame times, planning time, memory, and the longest time that the window was busy"),
                   QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_D));
    debugOverlay->setCheckable(true);
    modelSummary = makeAction("modelSummaryAction", tr("&Model layer by layer..."),
                              tr("Shapes, parameters, FLOPs and memory of the experiment's model"),
                              QKeySequence(Qt::CTRL | Qt::Key_M));
    devices = makeAction("devicesAction", tr("De&vices..."),
                         tr("The processor and the GPUs, with the reason if a GPU is not used"),
                         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_G));
    palette = makeAction("paletteAction", tr("&Find a command..."), tr("Search all commands"),
                         QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P));
    keys = makeAction("keysAction", tr("&Keyboard shortcuts"), tr("List all keyboard shortcuts"),
                      QKeySequence(Qt::Key_Question));
    help = makeAction("helpAction", tr("&Help on this control"),
                      tr("Read about the control that has the keyboard focus"), QKeySequence(Qt::Key_F1));
    help->setShortcutContext(Qt::ApplicationShortcut);  // also in dialogs
    documents = makeAction("documentsAction", tr("&Documentation"), tr("Read the documents of Ringside"));
    otherPart = makeAction("otherPartAction", tr("&Go to the form or back to the page"),
                           tr("Move the keyboard focus to the experiment form, or from the form to the page"),
                           QKeySequence(Qt::Key_F6));
    about = makeAction("aboutAction", tr("&About Ringside"), tr("Version and licences"));
    m_view = new QMenu(tr("&View"), m_window);
    m_view->addActions({experiment, otherPart, log, theme});
    m_view->addSeparator();
    m_view->addActions({largerType, smallerType, normalType});
    m_view->addSeparator();
    m_view->addActions({reduceMotion, debugOverlay});
    m_view->addSeparator();
    m_view->addActions({modelSummary, devices, palette, resetLayout});
}

void WindowActions::setMenuText(QAction& action, const QString& text) {
    action.setText(text + QLatin1Char('\t') + action.property("keys").toString());
    action.setIconText(QString(text).remove(QLatin1Char('&')));
}

QAction* WindowActions::makeAction(const char* name, const QString& text, const QString& tip,
                                   const QKeySequence& keySequence) {
    auto* action = new QAction(text, m_window);
    action->setObjectName(QString::fromLatin1(name));
    action->setShortcut(keySequence);
    const QString shown = keySequence.toString(QKeySequence::NativeText);
    action->setToolTip(shown.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, shown));
    action->setStatusTip(tip);
    m_window->addAction(action);
    m_all << action;
    return action;
}

void WindowActions::fill(QMenuBar& bar) const {
    QMenu* file = bar.addMenu(tr("&File"));
    file->addAction(newExperiment);
    file->addMenu(examples);
    file->addAction(open);
    file->addMenu(recent);
    file->addActions({openData, openDataFolder});
    file->addSeparator();
    file->addActions({save, saveAs, exportScript});
    file->addMenu(savePage);
    file->addSeparator();
    file->addAction(openRun);
    file->addMenu(liveRuns);
    file->addSeparator();
    file->addAction(quit);
    bar.addMenu(tr("&Edit"))->addActions({undo, redo, copy});
    QMenu* runs = bar.addMenu(tr("&Run"));
    runs->addActions({run, resume, pause, step, phase, saveNow, stop, detach});
    runs->addSeparator();
    runs->addActions({watch, comparePytorch, launch, invite, join});
    runs->addSeparator();
    runs->addActions({previousEpoch, nextEpoch});
    bar.addMenu(m_view);
    bar.addMenu(tr("&Help"))->addActions({help, documents, keys, about});
}

void WindowActions::addExamples(const std::function<void(const QString&)>& begin) {
    for (const Example& example : ringside::examples()) {
        QAction* action = makeAction(example.name, example.title, example.tip);
        QObject::connect(action, &QAction::triggered, m_window, [begin, file = example.file] { begin(file); });
        examples->addAction(action);
    }
}

// Sets synonyms of each action, by which the command finder also finds the action.
void WindowActions::setSearchTerms() {
    setSynonyms(*run, tr("start train launch go execute"));
    setSynonyms(*resume, tr("continue go on restart checkpoint"));
    setSynonyms(*stop, tr("pause halt cancel abort end kill interrupt"));
    setSynonyms(*detach, tr("detach background leave disconnect"));
    setSynonyms(*watch, tr("train.py python script own pytorch torchrun observe doctor check findings"));
    setSynonyms(*comparePytorch, tr("torch equal same difference verify check against reference watch"));
    setSynonyms(*launch, tr("cluster slurm pbs ssh torchrun mpirun submit sbatch qsub job queue"));
    setSynonyms(*invite, tr("class classroom host share code qr teach students laptops"));
    setSynonyms(*join, tr("class classroom code student take part connect"));
    setSynonyms(*attachRun, tr("attach live watch connect follow monitor"));
    setSynonyms(*openRun, tr("load history results finished"));
    setSynonyms(*theme, tr("light dark night colours colors appearance"));
    setSynonyms(*openData, tr("import load csv images dataset file"));
    setSynonyms(*openDataFolder, tr("import load images directory mnist cifar"));
    setSynonyms(*exportScript, tr("python code generate torch"));
    setSynonyms(*log, tr("output messages console errors"));
    setSynonyms(*experiment, tr("form settings hyperparameters configuration"));
    setSynonyms(*palette, tr("search command"));
    setSynonyms(*help, tr("documentation manual what is this explain"));
    setSynonyms(*documents, tr("help manual guide docs read"));
    setSynonyms(*otherPart, tr("focus form keyboard settings"));
    setSynonyms(*step, tr("single advance next"));
    setSynonyms(*phase, tr("single advance next forward backward"));
    setSynonyms(*pause, tr("hold wait continue"));
    setSynonyms(*keys, tr("shortcuts keyboard help"));
    setSynonyms(*devices, tr("gpu cuda cpu hardware"));
    setSynonyms(*modelSummary, tr("parameters flops shapes architecture network summary"));
    setSynonyms(*largerType, tr("font size zoom in bigger text enlarge presentation"));
    setSynonyms(*smallerType, tr("font size zoom out text reduce"));
    setSynonyms(*normalType, tr("font size zoom reset default text"));
    setSynonyms(*reduceMotion, tr("animation accessibility"));
    setSynonyms(*resetLayout, tr("restore default window"));
    setSynonyms(*newExperiment, tr("reset clear defaults"));
    setSynonyms(*debugOverlay, tr("debug fps performance frames"));
    setSynonyms(*undo, tr("back revert"));
    setSynonyms(*about, tr("version licence license"));
}

void WindowActions::addView(const QString& title, const QString& synonyms, const std::function<void()>& show) {
    QAction* action = makeAction("viewAction", title, tr("Show %1").arg(title));
    setSynonyms(*action, synonyms);
    QObject::connect(action, &QAction::triggered, m_window, show);
}

void WindowActions::addPage(const QString& title, const std::function<void()>& show) {
    const auto number = static_cast<int>(m_pages.size()) + 1;
    QAction* action = makeAction("pageAction", title, tr("Show the page %1").arg(title),
                                 QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_0 + number)));
    QObject::connect(action, &QAction::triggered, m_window, show);
    if (m_pages.isEmpty()) m_view->insertSeparator(experiment);
    m_view->insertAction(m_view->actions().at(m_pages.size()), action);
    m_pages << action;
}

}  // namespace ringside
