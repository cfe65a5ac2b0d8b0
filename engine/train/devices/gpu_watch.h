// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "telemetry/events/events.h"

namespace ringside {

// Reads utilisation, memory, temperature and power of a GPU about once a second, in its own thread.
//
// If the driver does not answer, the last values become outdated, and latest() returns unknown values. The destructor
// waits for a query in progress, but at most for one interval: the process should not exit while a thread is inside the
// driver.
class GpuWatch {
  public:
    explicit GpuWatch(std::function<GpuReading()> read,
                      std::chrono::milliseconds interval = std::chrono::milliseconds(1000));
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    // Returns the latest values; unknown before the first query and if they are outdated. Callable from any thread.
    // Never waits for the GPU.
    GpuReading latest() const;

  private:
    struct State;
    std::shared_ptr<State> m_state;  // state shared with the thread, which may exist longer than this object
};

}  // namespace ringside
