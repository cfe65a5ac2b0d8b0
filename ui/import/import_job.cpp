// SPDX-License-Identifier: GPL-3.0-or-later
#include "import/import_job.h"

#include <QCoreApplication>
#include <QPointer>
#include <QThreadPool>
#include <memory>

namespace ringside {

void ImportJob::stop() {
    ++m_number;
    m_stop.request_stop();
    m_stop = std::stop_source();
}

// Calls make() on a worker thread, and then use() with the result on the GUI thread. Does not call use() if the job was
// destroyed or if a newer call has started. Sends the result through the application object, because the job can be
// destroyed while the worker thread is still reading.
template <class Make, class Use>
void ImportJob::start(Make make, Use use) {
    stop();
    QThreadPool::globalInstance()->start(
        [job = QPointer(this), number = m_number, stop = m_stop.get_token(), make, use] {
            const auto made = std::make_shared<decltype(make(stop))>(make(stop));
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [job, number, made, use] {
                    if (job && job->m_number == number) use(*job, *made);
                },
                Qt::QueuedConnection);
        });
}

void ImportJob::loadPreview(const DatasetConfig& choices) {
    start([choices](const std::stop_token&) { return previewFile(choices.path, choices); },
          [](ImportJob& job, const Result<DataPreview>& preview) { Q_EMIT job.previewReady(preview); });
}

void ImportJob::check(const DatasetConfig& config, const PictureColors& colors) {
    start([config, colors](const std::stop_token& stop) { return checkData(config, colors, stop); },
          [](ImportJob& job, const Result<CheckedData>& data) { Q_EMIT job.checked(data); });
}

}  // namespace ringside
