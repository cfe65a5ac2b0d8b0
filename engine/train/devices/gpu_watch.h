// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "telemetry/events/events.h"

namespace ringside {

// Asks a GPU about once a second in a thread of its own. A driver that hangs only makes the answer old, and an old
// answer is none. At the end the answer under way is waited for, as the process may not end inside the driver; after an
// interval it is left behind.
class GpuWatch {
  public:
    explicit GpuWatch(std::function<GpuReading()> read,
                      std::chrono::milliseconds interval = std::chrono::milliseconds(1000));
    ~GpuWatch();
    GpuWatch(const GpuWatch&) = delete;
    GpuWatch& operator=(const GpuWatch&) = delete;

    GpuReading latest() const;  // any thread, at once; unknown before the first answer and when it is old

  private:
    struct State;
    std::shared_ptr<State> m_state;  // shared with the thread, which may outlive us
};

}  // namespace ringside
