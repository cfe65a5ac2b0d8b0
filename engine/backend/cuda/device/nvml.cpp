// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/nvml.h"

#include <dlfcn.h>

#include <array>
#include <string>

namespace ringside::cuda {
namespace {

// The part of NVML's interface that is used here, declared according to its documentation.
using Status = int;
using DeviceHandle = void*;
constexpr Status kOk = 0;
constexpr unsigned kGpuSensor = 0;    // value of NVML_TEMPERATURE_GPU
constexpr int kNvlinkCapability = 2;  // value of NVML_P2P_CAPS_INDEX_NVLINK
constexpr int kPeerOk = 0;            // value of NVML_P2P_STATUS_OK

// Returns NVML's name for a part of a GPU (MIG) that has this UUID in CUDA.
std::string partName(const std::string& uuid) {
    return uuid.starts_with("GPU-") ? "MIG-" + uuid.substr(4) : uuid;
}

}  // namespace

struct Nvml::Library {
    struct Utilisation {
        unsigned gpu;
        unsigned memory;
    };
    struct Memory {
        unsigned long long total;
        unsigned long long free;
        unsigned long long used;
    };

    void* handle = nullptr;
    bool started = false;
    Status (*init)() = nullptr;
    Status (*shutdown)() = nullptr;
    Status (*driverVersion)(char*, unsigned) = nullptr;
    Status (*byUuid)(const char*, DeviceHandle*) = nullptr;
    Status (*utilisation)(DeviceHandle, Utilisation*) = nullptr;
    Status (*temperature)(DeviceHandle, unsigned, unsigned*) = nullptr;
    Status (*power)(DeviceHandle, unsigned*) = nullptr;
    Status (*memory)(DeviceHandle, Memory*) = nullptr;
    Status (*peerStatus)(DeviceHandle, DeviceHandle, int, int*) = nullptr;

    // Looks up a function of NVML. `function` becomes null if the installed driver is too old to have the function.
    template <class Function>
    void find(Function& function, const char* name) {
        function = reinterpret_cast<Function>(::dlsym(handle, name));
    }

    DeviceHandle device(const std::string& uuid) const {
        DeviceHandle found = nullptr;
        if (!started || !byUuid) return nullptr;
        for (const std::string& name : {uuid, partName(uuid)})
            if (byUuid(name.c_str(), &found) == kOk) return found;
        return nullptr;
    }
    bool knows(const std::string& name) const {
        DeviceHandle found = nullptr;
        return started && byUuid && byUuid(name.c_str(), &found) == kOk;
    }
};

Nvml::Nvml(const char* name) : m_library(std::make_unique<Library>()) {
    Library& library = *m_library;
    library.handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library.handle) return;
    library.find(library.init, "nvmlInit_v2");
    library.find(library.shutdown, "nvmlShutdown");
    library.find(library.driverVersion, "nvmlSystemGetDriverVersion");
    library.find(library.byUuid, "nvmlDeviceGetHandleByUUID");
    library.find(library.utilisation, "nvmlDeviceGetUtilizationRates");
    library.find(library.temperature, "nvmlDeviceGetTemperature");
    library.find(library.power, "nvmlDeviceGetPowerUsage");
    library.find(library.memory, "nvmlDeviceGetMemoryInfo");
    library.find(library.peerStatus, "nvmlDeviceGetP2PStatus");
    library.started = library.init && library.init() == kOk;
}

Nvml::~Nvml() {
    if (m_library->started && m_library->shutdown) m_library->shutdown();
    if (m_library->handle) ::dlclose(m_library->handle);
}

bool Nvml::available() const {
    return m_library->started;
}

std::string Nvml::driverVersion() const {
    std::array<char, 96> text{};
    const bool known = m_library->started && m_library->driverVersion &&
                       m_library->driverVersion(text.data(), static_cast<unsigned>(text.size() - 1)) == kOk;
    return known ? text.data() : "";
}

std::string Nvml::nameOf(const std::string& uuid) const {
    return !m_library->knows(uuid) && m_library->knows(partName(uuid)) ? partName(uuid) : uuid;
}

NvmlReading Nvml::read(const std::string& uuid) const {
    NvmlReading reading;
    const Library& library = *m_library;
    const DeviceHandle device = library.device(uuid);
    if (!device) return reading;
    Library::Utilisation utilisation{};
    if (library.utilisation && library.utilisation(device, &utilisation) == kOk)
        reading.utilisationPercent = utilisation.gpu;
    unsigned value = 0;
    if (library.temperature && library.temperature(device, kGpuSensor, &value) == kOk)
        reading.temperatureCelsius = value;
    if (library.power && library.power(device, &value) == kOk) reading.powerWatts = value / 1000.0;
    Library::Memory memory{};
    if (library.memory && library.memory(device, &memory) == kOk) {
        reading.freeBytes = static_cast<std::int64_t>(memory.free);
        reading.totalBytes = static_cast<std::int64_t>(memory.total);
    }
    return reading;
}

bool Nvml::nvlinkBetween(const std::string& uuidA, const std::string& uuidB) const {
    const DeviceHandle a = m_library->device(uuidA);
    const DeviceHandle b = m_library->device(uuidB);
    int status = -1;
    return a && b && m_library->peerStatus && m_library->peerStatus(a, b, kNvlinkCapability, &status) == kOk &&
           status == kPeerOk;
}

}  // namespace ringside::cuda
