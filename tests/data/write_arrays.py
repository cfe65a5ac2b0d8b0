# SPDX-License-Identifier: Apache-2.0
"""write_arrays.py DIR: writes arrays with numpy. Value i is (37 * i) % 101, the shape is 3 x 4 x 5."""
import sys

import numpy

values = (numpy.arange(60) * 37 % 101).reshape(3, 4, 5)
for kind in ("u1", "i1", "i2", "i4", "i8", "f4", "f8"):
    numpy.save(f"{sys.argv[1]}/{kind}.npy", values.astype(kind))
for version in ((1, 0), (2, 0), (3, 0)):
    with open(f"{sys.argv[1]}/version{version[0]}.npy", "wb") as file:
        numpy.lib.format.write_array(file, values.astype("f4"), version=version)
numpy.save(f"{sys.argv[1]}/fortran.npy", numpy.asfortranarray(values))
numpy.save(f"{sys.argv[1]}/big_endian.npy", values.astype(">i4"))
numpy.save(f"{sys.argv[1]}/objects.npy", numpy.array([1, "a"], dtype=object), allow_pickle=True)
numpy.save(f"{sys.argv[1]}/records.npy", numpy.zeros(3, dtype=[("a", "<f4")]))
numpy.save(f"{sys.argv[1]}/scalar.npy", numpy.float32(5))
