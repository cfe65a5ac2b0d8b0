# SPDX-License-Identifier: Apache-2.0
# Samplers that PyTorch does not have. A line "#@ name" begins the piece of that name, which ends before the next such
# line.
#@ assigned

class AssignedSampler(Sampler):
    """@sentence@"""

    def __init__(self, data, num_replicas=None, rank=None):
        self.data, self.epoch, self.length = data, 0, @length@
        self.rank = dist.get_rank() if rank is None else rank
        self.world = num_replicas or dist.get_world_size()

    def set_epoch(self, epoch):
        self.epoch = epoch

    def __len__(self):
        return len(self.positions())

    def __iter__(self):
        order = self.order()
        return (order[position % len(order)] for position in self.positions())

    def order(self):
        """Returns the samples of this epoch, before they are assigned to ranks."""
@order@
    def positions(self):
        """Returns this rank's positions in the order; positions past the end continue at its start."""
@positions@
