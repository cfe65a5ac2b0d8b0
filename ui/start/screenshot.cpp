// SPDX-License-Identifier: GPL-3.0-or-later
#include "start/screenshot.h"

#include <QPixmap>
#include <chrono>
#include <cstdio>

#include "base/errors/exit_code.h"
#include "main_window/main_window.h"

namespace ringside {
namespace {

// time without a change after which the picture is taken; longer than any animation
constexpr std::chrono::milliseconds kSettle{400};
constexpr std::chrono::seconds kDeadline{60};

}  // namespace

Screenshot::Screenshot(MainWindow& window, const StartOptions& options, QObject* parent)
    : QObject(parent), m_window(window), m_options(options) {
    m_settle.setSingleShot(true);
    m_settle.setInterval(kSettle);
    m_deadline.setSingleShot(true);
    m_deadline.setInterval(kDeadline);
    connect(&m_settle, &QTimer::timeout, this, &Screenshot::draw);
    connect(&m_deadline, &QTimer::timeout, this, [this] {
        fail(
            tr("the page was not ready within 60 s: check whether its data set can be read, and use a smaller data set "
               "or run"));
    });
}

void Screenshot::begin() {
    if (!m_options.page.isEmpty() && !m_window.pages().show(m_options.page)) {
        return fail(tr("--page is %1; %2").arg(m_options.page, m_window.pages().choices(m_options.page)));
    }
    if (!m_options.config.isEmpty()) {
        const Result<RunConfig> config = ExperimentFiles::readExperiment(m_options.config);
        if (!config) return fail(QString::fromStdString(config.problem().text()));
        m_window.experiment().replace(config.value(), m_options.config);
    }
    if (!m_options.runDirectory.isEmpty() && !m_window.openRun(m_options.runDirectory)) {
        return fail(m_window.noticeText());
    }
    m_window.resize(m_options.size);
    m_window.show();
    m_deadline.start();
    connect(&m_window.experiment(), &ExperimentModel::configChanged, this, &Screenshot::checkReady);
    connect(&m_window.plan(), &PlanModel::planChanged, this, &Screenshot::checkReady);
    connect(&m_window.run(), &RunModel::changed, this, &Screenshot::checkReady);
    connect(&m_window.controller(), &RunController::stateChanged, this, &Screenshot::checkReady);
    checkReady();
}

bool Screenshot::isReady() const {
    if (m_window.experiment().isLoadingData()) return false;
    const bool planned =
        m_window.plan().plan() || !m_window.plan().problem().isEmpty() || !m_window.experiment().problems().empty();
    if (!planned) return false;
    if (m_options.runDirectory.isEmpty()) return true;
    using State = RunController::State;
    const State state = m_window.controller().state();
    return state != State::Starting &&
           state != State::Idle;  // a live run is drawn in its present state, without waiting for its end
}

void Screenshot::checkReady() {
    if (isReady()) m_settle.start();
}

void Screenshot::draw() {
    if (!isReady() || !m_window.pages().current().isSettled() || !m_window.isDrawn()) return m_settle.start();
    m_deadline.stop();
    if (!m_options.runDirectory.isEmpty() && !m_window.run().data().started()) {
        return fail(m_window.controller().message());
    }
    if (!m_window.grab().save(m_options.screenshot, "PNG")) {
        return fail(tr("%1 cannot be written: choose a folder that exists and that you may write to")
                        .arg(m_options.screenshot));
    }
    Q_EMIT finished(static_cast<int>(ExitCode::kOk));
}

void Screenshot::fail(const QString& text) {
    m_deadline.stop();
    m_settle.stop();
    std::fprintf(stderr, "ringside: %s\n", qUtf8Printable(text));
    // Emits finished() from the event loop, because begin() may be called before the loop starts.
    QMetaObject::invokeMethod(
        this, [this] { Q_EMIT finished(static_cast<int>(ExitCode::kBadConfiguration)); }, Qt::QueuedConnection);
}

}  // namespace ringside
