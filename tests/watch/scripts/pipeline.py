# SPDX-License-Identifier: Apache-2.0
"""Two stages of torch.distributed.pipelining with GPipe; the last rank has the loss."""
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.pipelining import PipelineStage, ScheduleGPipe

from truth import Truth, end_process

MICRO_BATCHES = 4
STEPS = 5


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    truth = Truth(rank)
    torch.manual_seed(4)
    layers = [nn.Sequential(nn.Linear(16, 32), nn.ReLU()), nn.Linear(32, 4)]
    model = layers[rank]
    stage = PipelineStage(model, rank, 2, torch.device("cpu"))
    schedule = ScheduleGPipe(stage, MICRO_BATCHES, loss_fn=nn.functional.mse_loss)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    generator = torch.Generator().manual_seed(7)
    for _ in range(STEPS):
        x, y = torch.randn(16, 16, generator=generator), torch.randn(16, 4, generator=generator)
        optimizer.zero_grad()
        if rank == 0:
            schedule.step(x)
        else:
            losses = []
            schedule.step(target=y, losses=losses)
            truth.trained(x, torch.stack(losses).mean(), 0.01)
        optimizer.step()
    truth.done(model)
    dist.destroy_process_group()
    end_process()


if __name__ == "__main__":
    main()
