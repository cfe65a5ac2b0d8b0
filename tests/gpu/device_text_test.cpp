// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device/device_text.h"

#include "support/catch.h"

using namespace ringside::cuda;

TEST_CASE("the reason for a missing GPU depends on the driver and its error") {
    // CUDA 13 returns this without a driver: insufficient, version 0.
    CHECK_THAT(noDeviceText({0, 13000, "cudaErrorInsufficientDriver", "insufficient"}),
               containing("libcuda.so.1 cannot be loaded") && containing("--gpus all"));
    CHECK(noDeviceText({12020, 13000, "cudaErrorInsufficientDriver", "insufficient"}) ==
          "the NVIDIA driver is too old: it runs CUDA up to 12.2, this build needs 13.0: update the driver");
    CHECK_THAT(noDeviceText({13000, 13000, "cudaErrorNoDevice", "no CUDA-capable device is detected"}),
               containing("CUDA_VISIBLE_DEVICES"));
    // Programs that were built with CUDA 12.8 run on CUDA 12.4, so an older driver is not always the cause.
    CHECK_THAT(noDeviceText({12040, 12080, "cudaErrorNoDevice", "no CUDA-capable device is detected"}),
               containing("CUDA_VISIBLE_DEVICES"));
    CHECK(noDeviceText({13000, 13000, "cudaErrorSystemNotReady", "system not yet initialized"}) ==
          "the NVIDIA driver failed while looking for GPUs: system not yet initialized (cudaErrorSystemNotReady): "
          "NVIDIA's Fabric Manager is not running: start it (systemctl start nvidia-fabricmanager)");
    CHECK_THAT(noDeviceText({13000, 13000, "cudaErrorInitializationError", "initialization error"}),
               containing("initialization error") && containing("nvidia-smi"));
}

TEST_CASE("a GPU is used from compute capability 8.0 on, unless its mode forbids it") {
    CHECK(whyNotUsable(9, 0, 0).empty());
    CHECK(whyNotUsable(8, 0, 3).empty());
    CHECK(whyNotUsable(7, 5, 0) == "the compute capability of the GPU is 7.5, but this build needs 8.0 or newer");
    CHECK_THAT(whyNotUsable(9, 0, 2), containing("prohibits its use: permit it with nvidia-smi -c 0"));
    CHECK_THAT(whyNotUsable(9, 0, 1), containing("only one thread"));
}

TEST_CASE("out of memory reports requested and free memory and the remedy") {
    CHECK(outOfMemoryText({"GPU 0 (NVIDIA H200)", "a tensor of shape (128, 64)", 3LL << 20, 2LL << 20, 16LL << 30}) ==
          "GPU 0 (NVIDIA H200) does not have enough space for a tensor of shape (128, 64): 3 MiB requested, 2 MiB of "
          "16384 "
          "MiB free: lower loader.batch_size, choose a smaller model, or stop other programs on the GPU (nvidia-smi)");
}

TEST_CASE("the error about missing page-locked memory names the settings that reduce its use") {
    CHECK(
        noPinnedMemoryText("GPU 0 (T)", 4U << 20) ==
        "GPU 0 (T) received no page-locked memory from the host (4 MiB requested): switch loader.pin_memory off, lower "
        "loader.batch_size or loader.prefetch_factor, or use fewer ranks");
}

TEST_CASE("a driver that is too old or lists no GPU is reported with the remedy") {
    CHECK_THAT(failureText("GPU 0", "being selected", "cudaErrorInsufficientDriver", "too old"),
               containing("update the driver"));
    CHECK_THAT(failureText("GPU 0", "computing", "cudaErrorNoDevice", "none"), containing("dmesg for Xid messages"));
}

TEST_CASE("a failed call is reported with CUDA's name and specific advice") {
    CHECK(failureText("GPU 1 (T)", "computing", "cudaErrorECCUncorrectable", "uncorrectable ECC error encountered") ==
          "GPU 1 (T) failed while computing: uncorrectable ECC error encountered (cudaErrorECCUncorrectable): the "
          "memory of the GPU is damaged (nvidia-smi -q -d ECC): use another GPU");
    CHECK_THAT(failureText("GPU 0", "computing", "cudaErrorIllegalAddress", "an illegal memory access"),
               containing("see dmesg for Xid messages. The last checkpoint of the run is intact"));
}
