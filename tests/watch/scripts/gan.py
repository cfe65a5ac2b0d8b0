# SPDX-License-Identifier: Apache-2.0
"""Adversarial training: two models, two optimizers and two losses in one step."""
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from truth import Truth


def main():
    truth = Truth(0)
    torch.manual_seed(11)
    generator = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
    critic = nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Linear(16, 1))
    first, second = torch.optim.Adam(critic.parameters(), lr=0.002), torch.optim.Adam(generator.parameters(), lr=0.001)
    data = TensorDataset(torch.randn(48, 2), torch.arange(48))
    bce = nn.functional.binary_cross_entropy_with_logits
    indices, generator_losses = truth.more["indices"], truth.more["second"] = [[]], []
    for real, index in DataLoader(data, batch_size=8, shuffle=True):
        fake = generator(torch.randn(8, 4))
        first.zero_grad()
        loss = bce(critic(real), torch.ones(8, 1)) + bce(critic(fake.detach()), torch.zeros(8, 1))
        loss.backward()
        first.step()
        second.zero_grad()
        other = bce(critic(fake), torch.ones(8, 1))
        other.backward()
        second.step()
        truth.trained(real, loss, 0.002)
        generator_losses.append(float(other.detach()))
        indices[0].append(index.tolist())
    truth.done(generator, critic)


if __name__ == "__main__":
    main()
