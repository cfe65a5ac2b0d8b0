// SPDX-License-Identifier: Apache-2.0
// Fake libnvidia-ml.so.1 with one GPU, "GPU-known", and one MIG part of a GPU, "MIG-part", without power readings.
#include <cstring>

extern "C" {

int nvmlInit_v2();
int nvmlShutdown();
int nvmlSystemGetDriverVersion(char* text, unsigned length);
int nvmlDeviceGetHandleByUUID(const char* uuid, void** device);
int nvmlDeviceGetUtilizationRates(void* device, unsigned* gpuAndMemory);
int nvmlDeviceGetTemperature(void* device, unsigned sensor, unsigned* celsius);
int nvmlDeviceGetPowerUsage(void* device, unsigned* milliwatts);
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long* totalFreeUsed);

static int theDevice = 0;

int nvmlInit_v2() {
    return 0;
}

int nvmlShutdown() {
    return 0;
}

int nvmlSystemGetDriverVersion(char* text, unsigned length) {
    std::strncpy(text, "580.65.06", length);
    return 0;
}

int nvmlDeviceGetHandleByUUID(const char* uuid, void** device) {
    constexpr int kNotFound = 6;
    if (std::strcmp(uuid, "GPU-known") != 0 && std::strcmp(uuid, "MIG-part") != 0) return kNotFound;
    *device = &theDevice;
    return 0;
}

int nvmlDeviceGetUtilizationRates(void*, unsigned* gpuAndMemory) {
    gpuAndMemory[0] = 87;
    gpuAndMemory[1] = 30;
    return 0;
}

int nvmlDeviceGetTemperature(void*, unsigned sensor, unsigned* celsius) {
    *celsius = sensor == 0 ? 63 : 0;
    return 0;
}

int nvmlDeviceGetPowerUsage(void*, unsigned*) {
    constexpr int kNotSupported = 3;
    return kNotSupported;
}

int nvmlDeviceGetMemoryInfo(void*, unsigned long long* totalFreeUsed) {
    totalFreeUsed[0] = 150;
    totalFreeUsed[1] = 100;
    totalFreeUsed[2] = 50;
    return 0;
}
}
