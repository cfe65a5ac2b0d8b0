// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "telemetry/events/events.h"

namespace ringside {

// Queries a GPU about once a second in a separate thread.
//
// If the driver hangs, the last values (utilisation, memory, temperature, power) become outdated, and latest() returns
// unknown values. The destructor waits at most one interval for a query in progress, because the process should not
// exit while a thread is inside the driver.
class GpuWatch {
  public:
    explicit GpuWatch(std::function<GpuReading()> read,
                      std::chrono::milliseconds interval = std::chrono::milliseconds(1000));
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    // Returns the latest values; unknown before the first query and once the values are outdated. Callable from any
    // thread. Never blocks on the GPU.
    GpuReading latest() const;

  private:
    struct State;
    std::shared_ptr<State> m_state;  // state that this object shares with the thread, because the thread may outlive
                                     // this object
};

}  // namespace ringside
