# SPDX-License-Identifier: Apache-2.0
"""A LightningModule with self.log, validation and a scheduler, on one process or with strategy ddp."""
import logging
import os
import sys
import warnings

import lightning.pytorch as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from truth import Truth, end_process

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)


class Model(pl.LightningModule):
    def __init__(self, truth):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
        self.truth = truth

    def training_step(self, batch, number):
        x, y, index = batch
        loss = nn.functional.mse_loss(self.net(x), y)
        self.truth.trained(x, loss, self.optimizers().param_groups[0]["lr"])
        self.truth.more["indices"][-1].append(index.tolist())
        self.log("train_loss", loss)
        return loss

    def on_train_epoch_start(self):
        self.truth.more["indices"].append([])

    def validation_step(self, batch, number):
        self.log("val_loss", nn.functional.mse_loss(self.net(batch[0]), batch[1]), sync_dist=True)

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.02)


def main():
    ranks = int(os.environ.get("RANKS", "1"))
    truth = Truth(int(os.environ.get("LOCAL_RANK", "0")))
    truth.more["indices"] = []
    pl.seed_everything(9, verbose=False)
    x = torch.randn(70, 6)
    y = x.sum(1, keepdim=True)
    training = DataLoader(TensorDataset(x, y, torch.arange(70)), batch_size=8, shuffle=True)
    validation = DataLoader(TensorDataset(x[:16], y[:16]), batch_size=8)
    trainer = pl.Trainer(max_epochs=2, accelerator="cpu", devices=ranks, strategy="ddp" if ranks > 1 else "auto",
                         logger=False, enable_checkpointing=False, enable_progress_bar=False,
                         enable_model_summary=False, num_sanity_val_steps=2,
                         accumulate_grad_batches=int(os.environ.get("ACCUMULATE", "1")))
    model = Model(truth)
    trainer.fit(model, training, validation)
    truth.done(model.net)
    end_process()


if __name__ == "__main__":
    sys.exit(main())
