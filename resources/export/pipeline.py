# SPDX-License-Identifier: Apache-2.0
# Pipelines of stages. A line "#@ name" begins the piece of that name, which ends before the next such line.
#@ pipeline

class Pipeline:
    """This rank's stages, and the schedule that takes micro-batches through all of them."""

    def __init__(self, network, mesh, device):
        self.group, self.mesh, self.modules, self.outcome = mesh["pipeline"].get_group(), mesh, {}, []
        layers = layers_of(network)
        for number in range(STAGES):
            module = nn.Sequential(*layers[CUTS[number] : CUTS[number + 1]])
            if number % PIPELINE == mesh.get_local_rank("pipeline"):
                self.modules[number] = @own@
            else:
                module.to("meta")  # another rank holds this stage: only the names are kept here
        stages = [PipelineStage(module, number, STAGES, device, group=self.group)
                  for number, module in self.modules.items()]
        self.schedule = @schedule@(@stages@, MICRO_BATCHES, loss_fn=self.loss, scale_grads=False)

    def loss(self, output, y):
        losses, correct = losses_and_correct(output, y)
        self.outcome.append((losses.detach(), correct))
        return losses.mean() / @share@

    def train(self, mode=True):
        for module in self.modules.values():
            module.train(mode)

    def eval(self):
        self.train(False)

    def buffers(self):
        return [buffer for module in self.modules.values() for buffer in module.buffers()]

    def parameters(self):
        return [one for module in self.modules.values() for one in module.parameters()]

    def step(self, x, y):
        """Runs all micro-batches. Returns losses and correct predictions on the rank with the last stage."""
        self.outcome.clear()
        first, last = 0 in self.modules, STAGES - 1 in self.modules
        self.schedule.step(*((x,) if first else ()), target=y if last else None, return_outputs=False)
        return [torch.cat(part) for part in zip(*self.outcome[-MICRO_BATCHES:])]

    def __call__(self, x):
        """Passes a validation batch through all stages. Returns the output on the last stage's rank, else None."""
        for number in (number for number in range(STAGES) if number in self.modules):
            if number > 0 and number - 1 not in self.modules:
                box = [None]
                dist.recv_object_list(box, self.rank_of(number - 1))
                x = box[0]
            x = self.modules[number](x)
            if number + 1 < STAGES and number + 1 not in self.modules:
                dist.send_object_list([x], self.rank_of(number + 1))
        return x if STAGES - 1 in self.modules else None

    def rank_of(self, number):
        return dist.get_global_rank(self.group, number % PIPELINE)

    def gathered(self, own):
        """Returns the tensors of all stages by name."""
        parts = [None] * PIPELINE
        dist.all_gather_object(parts, own, group=self.group)
        return {name: tensor for part in parts for name, tensor in part.items()}

    def weights(self, network):
        return self.gathered({name: whole(tensor) for name, tensor in network.state_dict().items() if not tensor.is_meta})

    def weights_hash(self, network):
        weights = self.weights(network)
        return sha256(weights[name] for name, _ in network.named_parameters())

    def tensors(self, network, optimizer):
        """Returns the tensors of a checkpoint: the weights, and the optimizers' state of each weight."""
        kept = {f"state.{name}.{key}": whole(value) for name, one in network.named_parameters() if not one.is_meta
                for key, value in optimizer.state[one].items() if torch.is_tensor(value)}
        return self.weights(network), self.gathered(kept)
#@ average

    def average(self):
        """Averages the gradients over the replicas of the pipeline."""
        for one in self.parameters():
            dist.all_reduce(one.grad, group=self.mesh["replicate"].get_group())
            one.grad /= REPLICATE
#@ clip

    def clip(self, most):
        """Clips the gradients of all stages together, as nn.utils.clip_grad_norm_ does."""
        squares = sum(whole(torch.linalg.vector_norm(one.grad)) ** 2 for one in self.parameters())
        dist.all_reduce(squares, group=self.group)
        scale = torch.clamp(most / (squares.sqrt() + 1e-6), max=1)
        for one in self.parameters():
            one.grad *= scale
#@ share_buffers_of_stages
    for buffer in model.buffers():  # running statistics: all use the first reader's, as its checkpoints do
        for name in ("replicate", "shard"):
            group = model.mesh[name].get_group()
            dist.broadcast(buffer, dist.get_global_rank(group, 0), group=group)
#@ validate_batch
        output = model(x.to(device))
        if output is not None:
            metrics.add(*losses_and_correct(output, y.to(device)))
#@ reshard_stages
    for module in model.modules.values():
        reshard(module)
