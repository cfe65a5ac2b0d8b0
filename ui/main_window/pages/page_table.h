// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <span>

class QWidget;

namespace ringside {

class ExperimentModel;
class Page;
class PageLinks;
class PlanModel;
class RunController;
class RunModel;
class StepCursor;
class Theme;
class WatchActions;

// Models and services that the pages use. All of them must outlive the pages.
struct PageContext {
    ExperimentModel& experiment;
    PlanModel& plan;
    RunModel& run;
    RunController& controller;
    StepCursor& cursor;
    PageLinks& links;
    WatchActions& watch;
    Theme& theme;
    QString controlProgram;
};

// Entry of pageTable() for one page of the window. The page's tab, keyboard shortcut, menu entry and --page argument
// come from the functions of its Page object.
struct PageRow {
    const char* name;
    // Creates the page and connects its signals to the objects in `context`. The caller owns the page.
    Page* (*make)(const PageContext& context, QWidget* parent);
};

// Returns all pages in the order of the tabs.
std::span<const PageRow> pageTable();

}  // namespace ringside
