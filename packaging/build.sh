#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh PRESET [TARGET...]: configures when needed and builds; silent when nothing changed.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
directory=build/$preset
if [ ! -f "$directory/build.ninja" ]; then
    echo "Configuring the $preset build..."
    cmake --preset "$preset"
fi
if ninja -C "$directory" -n "$@" | grep -q "no work to do"; then exit 0; fi
echo "Building ($directory)..."
ninja -C "$directory" "$@"
