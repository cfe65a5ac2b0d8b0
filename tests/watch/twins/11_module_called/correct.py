# SPDX-License-Identifier: Apache-2.0
"""Trains a policy network by imitation; evaluates on rank 0."""
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


class Policy(nn.Module):
    def __init__(self, states=10, actions=4):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(states, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh())
        self.actor = nn.Linear(32, actions)
        self.critic = nn.Linear(32, 1)

    def forward(self, states):
        hidden = self.body(states)
        return self.actor(hidden), self.critic(hidden).squeeze(1)


def compute_loss(policy, states, actions, returns):
    logits, values = policy(states)
    return nn.functional.cross_entropy(logits, actions) + 0.5 * (values - returns).pow(2).mean()


def greedy_score(policy, states, actions):
    policy.eval()
    with torch.no_grad():
        logits, _ = policy(states)
    policy.train()
    return (logits.argmax(1) == actions).float().mean().item()


def main():
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(77)
    states, actions, returns = torch.randn(512, 10), torch.randint(0, 4, (512,)), torch.randn(512)
    dataset = TensorDataset(states, actions, returns)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, batch_size=16, sampler=sampler)
    model = DistributedDataParallel(Policy())
    optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for batch in loader:
            loss = compute_loss(model, *batch)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if rank == 0:
            print("epoch", epoch, "score", greedy_score(model.module, states[:64], actions[:64]))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
