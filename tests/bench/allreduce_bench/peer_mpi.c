/* SPDX-License-Identifier: Apache-2.0 */
/* peer_mpi BYTES: median and best milliseconds of an in-place all-reduce of floats, over batches. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kBatches = 15 };

static int ascending(const void* a, const void* b) {
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int count = atoi(argv[1]) / 4;
    int repetitions = atoi(argv[2]);
    float* values = calloc((size_t)count, sizeof *values);
    double batches[kBatches];
    for (int batch = -1; batch < kBatches; ++batch) {
        MPI_Barrier(MPI_COMM_WORLD);
        double start = MPI_Wtime();
        for (int i = 0; i < repetitions; ++i) {
            MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
        }
        if (batch >= 0) batches[batch] = (MPI_Wtime() - start) * 1e3 / repetitions;
    }
    qsort(batches, kBatches, sizeof batches[0], ascending);
    if (rank == 0) printf("%g %g\n", batches[kBatches / 2], batches[0]);
    free(values);
    MPI_Finalize();
    return 0;
}
