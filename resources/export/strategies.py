# SPDX-License-Identifier: Apache-2.0
# What a strategy needs beside its wrapper. A line "#@ name" begins the piece of that name, up to the next one.
#@ whole

def whole(tensor):
    """All of a tensor of which each rank may have some rows; the ranks that do so call this together."""
    return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().cpu()

#@ reshard

def reshard(model):
    """Frees what validation has gathered."""
    for module in model.modules():
        if isinstance(module, FSDPModule):
            module.reshard()

#@ mesh_world
    if dist.get_world_size() != WORLD_SIZE:
        sys.exit(f"the mesh is for {WORLD_SIZE} ranks, but there are {dist.get_world_size()}: start as many")
#@ whole_tensors

def tensors_of(network, optimizer):
    """What a checkpoint holds: weights, and what the optimizer keeps for each of them."""
    kept = {f"state.{name}.{key}": value for name, one in network.named_parameters()
            for key, value in optimizer.state[one].items() if torch.is_tensor(value)}
    return network.state_dict(), kept

#@ zero_tensors

def tensors_of(network, optimizer):
    """What a checkpoint holds: weights, and what the ranks' optimizers keep for them, brought to rank 0."""
    optimizer.consolidate_state_dict(to=0)
    names = [name for name, _ in network.named_parameters()]
    state = optimizer.state_dict()["state"] if dist.get_rank() == 0 else {}
    kept = {f"state.{names[place]}.{key}": value for place, values in state.items()
            for key, value in values.items() if torch.is_tensor(value)}
    return network.state_dict(), kept

#@ sharded_tensors

def tensors_of(network, optimizer):
    """What a checkpoint holds: weights, and what the optimizer keeps for each of them, gathered by all ranks."""
    kept = {f"state.{name}.{key}": whole(value) for name, one in network.named_parameters()
            for key, value in optimizer.state[one].items() if torch.is_tensor(value)}
    return {name: whole(tensor) for name, tensor in network.state_dict().items()}, kept

#@ chunks

class Chunks(nn.Module):
    """Without GPUs nn.DataParallel passes batches on as they are; this splits them as it would with GPUs."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, x):
        return torch.cat([self.module(part) for part in x.chunk(DEVICES)])

#@ share_buffers
    for buffer in model.buffers():  # running statistics: rank 0's, as in its checkpoints
        dist.broadcast(buffer, 0)
