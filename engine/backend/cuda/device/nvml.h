// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace ringside::cuda {

// What NVML says of one GPU now; -1 where it says nothing.
struct NvmlReading {
    double utilisationPercent = -1;
    double temperatureCelsius = -1;
    double powerWatts = -1;
    std::int64_t freeBytes = -1;
    std::int64_t totalBytes = -1;
};

// NVIDIA's management library, loaded from the driver when asked for: its header is not everywhere, and neither is it.
class Nvml {
  public:
    // Without the library every question has an empty answer.
    explicit Nvml(const char* library = "libnvidia-ml.so.1");
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    bool available() const;
    std::string driverVersion() const;                // "580.65.06"; empty
    NvmlReading read(const std::string& uuid) const;  // uuid: "GPU-..."
    bool nvlinkBetween(const std::string& uuidA, const std::string& uuidB) const;

  private:
    struct Library;
    std::unique_ptr<Library> m_library;
};

}  // namespace ringside::cuda
