#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh PRESET [TARGET...]: configures when needed and builds; silent when nothing changed.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
directory=build/$preset
# A tree that ./run configured before there was a test library has no tests.
if [ "$*" != programs ] && grep -q '^Catch2_DIR:.*NOTFOUND' "$directory/CMakeCache.txt" 2>/dev/null; then
    rm -f "$directory/build.ninja"
fi
# Nor does a tree have the MPI module that was configured before there was an MPI.
if grep -q '^MPI_CXX_COMPILER:.*NOTFOUND' "$directory/CMakeCache.txt" 2>/dev/null && command -v mpicxx >/dev/null; then
    rm -f "$directory/build.ninja"
fi
if [ ! -f "$directory/build.ninja" ]; then
    echo "Configuring the $preset build..."
    cmake --preset "$preset"
fi
if ninja -C "$directory" -n "$@" | grep -q "no work to do"; then exit 0; fi
echo "Building ($directory)..."
ninja -C "$directory" "$@"
