# SPDX-License-Identifier: Apache-2.0
# Steps of the training loop. A line "#@ name" begins the piece of that name, which ends before the next such
# line.
#@ train_step_head
    for x, y, index in loader:
        used.append(index)
        losses, correct = losses_and_correct(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        losses.mean().backward()@averaged@
#@ train_step_tail
        optimizer.step()
        step += 1
        step_sums = metrics.add(losses, correct)
#@ accumulated_head
    sums = 0
    for number, (x, y, index) in enumerate(loader, start=1):
        used.append(index)
        makes_step = number % accumulate == 0 or number == len(loader)
@batch@        sums = sums + metrics.add(losses, correct)
        if not makes_step:
            continue
#@ accumulated_tail
        optimizer.step()
        optimizer.zero_grad()
        step += 1
        step_sums, sums = sums, 0
#@ without_sync
        with contextlib.nullcontext() if makes_step else model.no_sync():  # the ranks' gradients are averaged once a step
            losses, correct = losses_and_correct(model(x.to(device)), y.to(device))
            (losses.mean() / accumulate).backward()
#@ added_up
        losses, correct = losses_and_correct(model(x.to(device)), y.to(device))
        (losses.mean() / accumulate).backward()
#@ stop_unless_finite
def stop_unless_finite(step_sums, step, optimizer):
    loss = (step_sums[0] / step_sums[2]).item()
    if math.isfinite(loss):
        return
    what, lr = "not a number" if math.isnan(loss) else "infinite", optimizer.param_groups[0]["lr"]
    print(f"the loss of rank {dist.get_rank()} is {what} at step {step}: lower the learning rate (now {lr:g}), or look "
          "for values in the data that are no numbers", file=sys.stderr, flush=True)
    sys.exit(2)


