#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build.sh PRESET [TARGET...]: configures if necessary, and builds. Prints nothing if nothing has changed.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1
shift
directory=build/$preset
# A tree that was configured before the test library was installed has no tests, so it is configured again.
if [ "$*" != programs ] && grep -q '^Catch2_DIR:.*NOTFOUND' "$directory/CMakeCache.txt" 2>/dev/null; then
    rm -f "$directory/build.ninja"
fi
# A tree that was configured before MPI was installed has no MPI module, so it is configured again.
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
