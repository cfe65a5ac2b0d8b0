# SPDX-License-Identifier: Apache-2.0
"""Starts the ranks of scripts as forks of one process that has imported PyTorch: a second instead of ten.

    with warm.Server(python) as server:
        subprocess.run(server.command("train.py", ["--epochs", "2"], ranks=2))

The command is a small client. The ranks inherit its environment, standard output and error; it returns their exit
code. If one rank fails, the others are ended, as torchrun does. The server has the hooks of the watch, whose address
each rank reads from its own environment.
"""
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
INJECT = os.path.join(os.path.dirname(os.path.dirname(HERE)), "python", "ringside_watch", "inject")
GRACE_SECONDS = 3.0  # for the other ranks after one has failed


class Server:
    def __init__(self, python=sys.executable, modules=()):
        self._folder = tempfile.TemporaryDirectory(prefix="ringside-warm-")
        self._path = os.path.join(self._folder.name, "socket")
        self._python = python
        environment = {key: value for key, value in os.environ.items() if not key.startswith("RINGSIDE_WATCH")}
        environment.update({"PYTHONPATH": INJECT, "RINGSIDE_WATCH": "unix:/nowhere", "OMP_NUM_THREADS": "1",
                            "PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": "", "TORCH_FR_BUFFER_SIZE": "2000"})
        self._process = subprocess.Popen([python, os.path.abspath(__file__), "serve", self._path, *modules],
                                         env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
        if self._process.stdout.readline() != b"ready\n":
            raise RuntimeError("the warm process has not started: exit code %s" % self._process.wait())

    def command(self, script, arguments=(), ranks=2):
        return [self._python, os.path.abspath(__file__), "ask", self._path, str(ranks), os.path.abspath(script),
                *arguments]

    def close(self):
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
        self._folder.cleanup()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def send_request(path, ranks, words):
    """Client: passes the request and its own standard output and error, and waits for the exit code."""
    request = {"ranks": int(ranks), "words": words, "folder": os.getcwd(), "environment": dict(os.environ)}
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as one:
        one.connect(path)
        data = json.dumps(request).encode()
        socket.send_fds(one, [len(data).to_bytes(8, "big")], [1, 2])
        one.sendall(data)
        return int.from_bytes(one.makefile("rb").read(1) or b"\x01", "big")


def serve(path, modules):
    import importlib

    import torch
    import torch._dynamo
    import torch.distributed
    import torch.nn.parallel
    import torch.utils.data.distributed  # noqa: F401

    for name in modules:
        importlib.import_module(name)
    torch.set_num_threads(1)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen(4)
        os.write(1, b"ready\n")
        while True:
            connection, _ = listener.accept()
            with connection:
                _answer(connection)


def _answer(connection):
    length, descriptors, _, _ = socket.recv_fds(connection, 8, 2)
    stream = connection.makefile("rb")
    request = json.loads(stream.read(int.from_bytes(length, "big")))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    ranks = [_fork(request, rank, port, descriptors) for rank in range(request["ranks"])]
    for one in descriptors:
        os.close(one)
    code = _wait(ranks, connection)
    try:
        connection.sendall(bytes([code & 255]))
    except OSError:
        pass


def _fork(request, rank, port, descriptors):
    process = os.fork()
    if process:
        return process
    code = 1
    try:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.dup2(descriptors[0], 1)
        os.dup2(descriptors[1], 2)
        os.environ.clear()
        os.environ.update(request["environment"])
        size = str(request["ranks"])
        os.environ.update({"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": size, "LOCAL_WORLD_SIZE": size,
                           "GROUP_RANK": "0", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port})
        code = _run(request)
    finally:
        os._exit(code)


def _run(request):
    import atexit
    import runpy

    os.chdir(request["folder"])
    sys.argv = list(request["words"])
    sys.path[0] = os.path.dirname(sys.argv[0])
    code = 0
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        code = 1
        try:
            sys.excepthook(*sys.exc_info())
        except Exception:
            traceback.print_exc()
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def _wait(ranks, connection):
    """Returns the first exit code that is not 0. Ends all ranks when the client has gone."""
    codes, deadline = {}, None
    connection.settimeout(0)
    while len(codes) < len(ranks):
        for process in set(ranks) - set(codes):
            done, status = os.waitpid(process, os.WNOHANG)
            if done:
                codes[process] = os.waitstatus_to_exitcode(status)
                if codes[process] and deadline is None:
                    deadline = time.monotonic() + GRACE_SECONDS
                    _signal(set(ranks) - set(codes), signal.SIGTERM)
        try:
            gone = connection.recv(1) == b""
        except BlockingIOError:
            gone = False
        if gone or (deadline is not None and time.monotonic() > deadline):
            _signal(set(ranks) - set(codes), signal.SIGKILL)
        time.sleep(0.01)
    failed = [code for code in codes.values() if code]
    return 0 if not failed else failed[0] if failed[0] > 0 else 128 - failed[0]


def _signal(processes, number):
    for process in processes:
        try:
            os.killpg(process, number)
        except ProcessLookupError:
            pass


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(sys.argv[2], sys.argv[3:])
    sys.exit(send_request(sys.argv[2], sys.argv[3], sys.argv[4:]))
