# SPDX-License-Identifier: Apache-2.0
# Samplers that PyTorch does not have. A line "#@ name" begins the piece of that name, up to the next one.
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
        return len(self.places())

    def __iter__(self):
        order = self.order()
        return (order[place % len(order)] for place in self.places())

    def order(self):
        """The samples of this epoch before they are dealt."""
@order@
    def places(self):
        """This rank's places in the order, which starts again when it is through."""
@places@
