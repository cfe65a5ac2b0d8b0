#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# gpu_advice.sh [SIGN...]: prints the packages that GPU training needs, if an NVIDIA driver is loaded but CUDA is missing.
# A SIGN is a file that shows a loaded driver; one is enough. RINGSIDE_NVCC: name of the compiler, instead of nvcc.
set -euo pipefail
[ $# -gt 0 ] || set -- /proc/driver/nvidia/version /dev/nvidiactl /dev/dxg

driver=
for sign in "$@"; do [ ! -e "$sign" ] || driver=yes; done
[ -n "$driver" ] || exit 0
nvcc=${RINGSIDE_NVCC:-nvcc}
for place in "${CUDA_HOME:-/usr/local/cuda}/bin/$nvcc" "$nvcc"; do
    if command -v "$place" >/dev/null; then exit 0; fi
done
cat <<'TEXT'
An NVIDIA driver is loaded, but there is no CUDA toolkit: Ringside trains on CPUs. To train on GPUs, install these packages
of NVIDIA's repository for your system, then start ./run again: cuda-toolkit (12 or newer), cudnn9-cuda-13 (or cudnn9-cuda-12,
as your toolkit) for convolutions, and libnccl-dev for several GPUs.
TEXT
