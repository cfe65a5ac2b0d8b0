// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace ringside::cuda {

// Current values of one GPU from NVML; -1 for a value that NVML does not report.
struct NvmlReading {
    double utilisationPercent = -1;
    double temperatureCelsius = -1;
    double powerWatts = -1;
    std::int64_t freeBytes = -1;
    std::int64_t totalBytes = -1;
};

// NVIDIA's management library, loaded from the driver at run time, because neither its header nor the library is
// installed everywhere.
class Nvml {
  public:
    // Loads the library. If the library cannot be loaded, every query returns an empty result.
    explicit Nvml(const char* library = "libnvidia-ml.so.1");
    ~Nvml();
    Nvml(const Nvml&) = delete;
    Nvml& operator=(const Nvml&) = delete;

    bool available() const;
    std::string driverVersion() const;                // returns the driver's version, such as "580.65.06"; empty if
                                                      // unknown
    NvmlReading read(const std::string& uuid) const;  // uuid: "GPU-..." or "MIG-..."
    // Returns the name under which NVML knows a device of CUDA: CUDA gives a part of a GPU (MIG) the UUID "GPU-...",
    // NVML calls it "MIG-...". Returns the UUID unchanged if NVML does not know it.
    std::string nameOf(const std::string& uuid) const;
    bool nvlinkBetween(const std::string& uuidA, const std::string& uuidB) const;

  private:
    struct Library;
    std::unique_ptr<Library> m_library;
};

}  // namespace ringside::cuda
