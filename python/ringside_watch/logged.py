# SPDX-License-Identifier: Apache-2.0
"""Observes scalars that the script logs: SummaryWriter of TensorBoard and tensorboardX, self.log of Lightning."""
import time

from . import guard, observations, scalars

TENSORBOARD = guard.Hook("tensorboard")
LIGHTNING = guard.Hook("lightning log")


def patch_tensorboard(module):
    guard.wrap(module.SummaryWriter, "add_scalar", TENSORBOARD, before=_note_add_scalar)
    guard.wrap(module.SummaryWriter, "add_scalars", TENSORBOARD, before=_note_add_scalars)


def _argument(args, kwargs, position, name):
    return args[position] if position < len(args) else kwargs.get(name)


def _queue_scalar(tag, value, step, source):
    number = scalars.read(value)
    if number is None or isinstance(number, scalars.Deferred):
        return  # the value is on a device: reading it would make the script wait
    observations.note("logged", time.monotonic_ns(), str(tag)[:200], _whole_number(step), number, source)


def _whole_number(step):
    return int(step) if isinstance(step, (int, float)) else None


def _note_add_scalar(args, kwargs):
    _queue_scalar(_argument(args, kwargs, 1, "tag"), _argument(args, kwargs, 2, "scalar_value"),
                  _argument(args, kwargs, 3, "global_step"), "tensorboard")


def _note_add_scalars(args, kwargs):
    main = _argument(args, kwargs, 1, "main_tag")
    for tag, value in (_argument(args, kwargs, 2, "tag_scalar_dict") or {}).items():
        _queue_scalar("%s/%s" % (main, tag), value, _argument(args, kwargs, 3, "global_step"), "tensorboard")


def patch_lightning(module):
    guard.wrap(module.LightningModule, "log", LIGHTNING, before=_note_lightning_log)


def _note_lightning_log(args, kwargs):
    trainer = getattr(args[0], "_trainer", None)
    step = getattr(trainer, "global_step", None)
    _queue_scalar(_argument(args, kwargs, 1, "name"), _argument(args, kwargs, 2, "value"), step, "lightning")
