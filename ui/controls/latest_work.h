// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QMetaObject>
#include <QObject>
#include <QThreadPool>
#include <atomic>
#include <functional>
#include <memory>

namespace ringside {

// Computes values on a worker thread for the GUI thread. A new request stops the running request, whose result is then
// discarded.
class LatestWork {
  public:
    using Stop = std::atomic<bool>;

    LatestWork() { m_pool.setMaxThreadCount(1); }
    ~LatestWork() {
        cancel();
        m_pool.waitForDone();
    }
    LatestWork(const LatestWork&) = delete;
    LatestWork& operator=(const LatestWork&) = delete;

    void cancel() {
        if (m_stop) *m_stop = true;
        m_stop.reset();
        m_pool.clear();
    }
    bool isBusy() const { return m_stop != nullptr; }

    // Calls make(stop) on the worker thread, and then use(result) on the thread of `context`. If there is a newer
    // request or cancel() is called, `stop` becomes true and use() is not called. `context` must outlive this object.
    template <class Make, class Use>
    void requestLatest(QObject* context, Make make, Use use) {
        cancel();
        m_stop = std::make_shared<Stop>(false);
        m_pool.start([this, context, stop = m_stop, make = std::move(make), use = std::move(use)] {
            auto value = std::make_shared<decltype(make(*stop))>(make(*stop));
            if (*stop) return;
            QMetaObject::invokeMethod(
                context,
                [this, stop, value, use] {
                    if (*stop) return;
                    m_stop.reset();
                    use(*value);
                },
                Qt::QueuedConnection);
        });
    }

  private:
    std::shared_ptr<Stop> m_stop;
    QThreadPool m_pool;
};

}  // namespace ringside
