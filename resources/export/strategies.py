# SPDX-License-Identifier: Apache-2.0
# Functions that a strategy needs in addition to its wrapper. A line "#@ name" begins the piece of that name, which ends
# before the next such line.
#@ whole

def whole(tensor):
    """Returns the whole tensor, also if each rank holds only some of its rows: then all these ranks must call this."""
    return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().cpu()

#@ reshard

def reshard(model):
    """Frees the parameters that were gathered for the validation."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()

#@ mesh_world
    if dist.get_world_size() != WORLD_SIZE:
        sys.exit(f"the mesh is for {WORLD_SIZE} ranks, but there are {dist.get_world_size()}: start as many")
#@ whole_tensors

def tensors_of(network, optimizer):
    """Returns the tensors of a checkpoint: the weights, and the optimizer's state of each weight."""
    kept = {f"state.{name}.{key}": value for name, one in network.named_parameters()
            for key, value in optimizer.state[one].items() if torch.is_tensor(value)}
    return network.state_dict(), kept

#@ zero_tensors

def tensors_of(network, optimizer):
    """Returns the tensors of a checkpoint: the weights, and the state of all ranks' optimizers, collected on rank 0."""
    optimizer.consolidate_state_dict(to=0)
    names = [name for name, _ in network.named_parameters()]
    state = optimizer.state_dict()["state"] if dist.get_rank() == 0 else {}
    kept = {f"state.{names[index]}.{key}": value for index, values in state.items()
            for key, value in values.items() if torch.is_tensor(value)}
    return network.state_dict(), kept

#@ sharded_tensors

def tensors_of(network, optimizer):
    """Returns the tensors of a checkpoint, gathered by all ranks: the weights, and the optimizer's state of each."""
    kept = {f"state.{name}.{key}": whole(value) for name, one in network.named_parameters()
            for key, value in optimizer.state[one].items() if torch.is_tensor(value)}
    return {name: whole(tensor) for name, tensor in network.state_dict().items()}, kept

#@ chunks

class Chunks(nn.Module):
    """Splits each batch as nn.DataParallel does with GPUs; without GPUs, nn.DataParallel does not split batches."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return torch.cat([self.module(part) for part in x.chunk(DEVICES)])

#@ share_buffers
    for buffer in model.buffers():  # running statistics: all use rank 0's, as its checkpoints do
        dist.broadcast(buffer, 0)
