# SPDX-License-Identifier: Apache-2.0
"""Counts the samples that one rank has trained on, by loader and epoch."""
import array
import hashlib
import sys


class Pass:
    """One iteration over a loader, from iter() to its end."""

    def __init__(self):
        # epoch of the loader: number, from 0, of this pass among the passes of the loader with trained batches; None
        # before the first trained batch of this pass
        self.epoch = None
        self.sha = hashlib.sha256()
        self.slots = 0  # number of indices in the trained batches of this pass
        self.trained = 0  # number of batches trained on
        self.untrained = 0
        self.delivered = 0
        self.evaluates = False  # true if a model was in evaluation mode at the end of the pass
        self.collectives = None  # number of collectives that the script had called until the end of the pass


def add_to_hash(sha, indices):
    """Adds indices to a hash as little-endian int64, as the telemetry event "consumed" defines it."""
    words = array.array("q", indices)
    if sys.byteorder == "big":
        words.byteswap()
    sha.update(words.tobytes())


class Epochs:
    """Counts of all loaders. The epoch of a step is that of first_training, the first loader that was trained on."""

    def __init__(self):
        self._passes = {}  # (number of the loader, number of the pass) -> Pass
        self._trained_passes = {}  # number of a loader -> number of its passes with trained batches
        self.first_training = None
        self.epoch = 0  # current epoch of the first training loader

    def get_or_add_pass(self, loader, number):
        """Returns the counts of a pass. Adds a pass with counts of 0 if the pass is not known."""
        return self._passes.setdefault((loader, number), Pass())

    def trained(self, batch, indices):
        """Counts a trained batch. Returns its epoch, and the position of its first index among the indices that the
        rank has trained on in this epoch.
        """
        one = self.get_or_add_pass(batch.loader, batch.number_of_pass)
        if one.epoch is None:
            one.epoch = self._trained_passes.get(batch.loader, 0)
            self._trained_passes[batch.loader] = one.epoch + 1
        if self.first_training is None:
            self.first_training = batch.loader
        if batch.loader == self.first_training:
            self.epoch = one.epoch
        slot = one.slots
        one.trained += 1
        if indices is not None:
            one.slots += len(indices)
            add_to_hash(one.sha, indices)
        return one.epoch, slot

    def untrained(self, batch):
        self.get_or_add_pass(batch.loader, batch.number_of_pass).untrained += 1

    def take(self, loader, number):
        """Removes a pass that has ended and returns it. Returns None if the pass is not known."""
        return self._passes.pop((loader, number), None)

    def unfinished_passes(self):
        """Returns the (loader, number of the pass) of all passes that have not ended."""
        return list(self._passes)
