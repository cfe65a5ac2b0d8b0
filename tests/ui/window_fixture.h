// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAction>
#include <QPushButton>
#include <QTest>
#include <string>

#include "experiment/number_spin_box.h"
#include "main_window/main_window.h"
#include "settings/settings.h"
#include "support/catch.h"
#include "telemetry/events/codec.h"
#include "theme/theme.h"
#include "ui/fake_dialogs.h"
#include "ui/fake_run.h"
#include "ui/wait_for.h"

namespace ringside {

// The whole window with its first plan, dialogs that answer by themselves, and a fake run with the behaviour `mode`.
struct WindowFixture {
    FakeRun fake;
    Theme theme;
    Settings settings{fake.folder.filePath("window.ini")};
    FakeDialogs dialogs;
    MainWindow window{{theme, settings, dialogs, FakeRun::program()}};

    explicit WindowFixture(const char* mode = "finishes") : fake(mode) {
        window.show();
        REQUIRE(waitFor([this] { return window.experiment().data() != nullptr; }));
    }
    template <class W>
    W* find(const char* name) {
        W* found = window.findChild<W*>(QString::fromLatin1(name));
        INFO(name);
        REQUIRE(found != nullptr);
        return found;
    }
    void press(const char* name) { QTest::mouseClick(find<QPushButton>(name), Qt::LeftButton); }
    void trigger(const char* name) { find<QAction>(name)->trigger(); }
    void type(const char* name, const char* text) {
        auto* box = find<NumberSpinBox>(name);
        box->selectAll();
        QTest::keyClicks(box, QString::fromLatin1(text));
    }
    RunController::State state() { return window.controller().state(); }
    void feed(const Event& event) { window.run().feed(QByteArray::fromStdString(encode(event))); }
};

}  // namespace ringside
