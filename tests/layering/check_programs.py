# SPDX-License-Identifier: Apache-2.0
"""check_programs.py BIN: checks the libraries that the built programs may link, read with ldd."""
import pathlib
import re
import subprocess
import sys

FORBIDDEN = {
    "ringside": r"libdnnl|libgloo|libcud|libnccl|libmpi",
    "ringsidectl": r"libQt|libdnnl|libgloo|libcud|libnccl|libmpi",
    "ringside-worker": r"libQt|libcu(da|blas|dnn|rt)|libnccl|libmpi",
    "ringside-worker-cuda": r"libQt|libcuda\.|libnvidia|libmpi",
}
OPTIONAL = {"ringside", "ringside-worker-cuda"}  # absent in a build without Qt or CUDA
found = []
for name, pattern in FORBIDDEN.items():
    program = pathlib.Path(sys.argv[1]) / name
    if not program.exists():
        if name in OPTIONAL:
            continue
        found.append(f"{program} was not built")
        continue
    libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
    found += [f"{name} links {line.strip()}" for line in libraries.splitlines() if re.search(pattern, line)]
print("\n".join(found) or "programs link what they may")
sys.exit(1 if found else 0)
