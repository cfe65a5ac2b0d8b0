# SPDX-License-Identifier: Apache-2.0
"""A watcher for tests: accepts ranks as docs/watch-protocol.md describes and records their events."""
import hashlib
import hmac
import json
import os
import socket
import threading
import time


class Receiver:
    """Listens on a Unix socket or on a TCP port of this host. Records events by connection."""

    def __init__(self, folder, secret="the secret of this test", tcp=False, reads=True, refusal="", proves=True):
        self.secret = secret.encode()
        self.secret_file = os.path.join(folder, "secret")
        self.refusal, self.proves, self.reads = refusal, proves, reads
        with open(self.secret_file, "w") as file:
            file.write(secret + "\n")
        os.chmod(self.secret_file, 0o600)
        self.listener = socket.socket(socket.AF_INET if tcp else socket.AF_UNIX, socket.SOCK_STREAM)
        if tcp:
            self.listener.bind(("127.0.0.1", 0))
            self.address = "tcp:127.0.0.1:%d" % self.listener.getsockname()[1]
        else:
            path = os.path.join(folder, "watch.sock")
            self.listener.bind(path)
            self.address = "unix:" + path
        self.listener.listen(64)
        self.zero_us = time.monotonic_ns() // 1000
        self.connections = []
        self.refused = 0
        self._threads = []
        self._lock = threading.Lock()
        self._acceptor = threading.Thread(target=self._accept, daemon=True)
        self._acceptor.start()

    def environment(self):
        return {"RINGSIDE_WATCH": self.address, "RINGSIDE_WATCH_SECRET_FILE": self.secret_file}

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def _serve(self, connection):
        try:
            self._authenticate(connection)
        except (OSError, ValueError, KeyError):
            with self._lock:
                self.refused += 1
            connection.close()

    def _authenticate(self, connection):
        nonce = os.urandom(16).hex()
        connection.settimeout(10)
        connection.sendall(json.dumps({"ringside": 1, "nonce": nonce}).encode() + b"\n")
        stream = connection.makefile("rb")
        greeting = json.loads(stream.readline())
        text = "\n".join(["rank", nonce, greeting["nonce"], greeting["role"], str(greeting["rank"]),
                          greeting["program"], greeting["experiment"], greeting["host"], greeting["host_key"],
                          str(greeting["pid"])])
        if not hmac.compare_digest(greeting["proof"], self._proof(text)) or greeting["role"] != "watch":
            raise ValueError("not a rank of this run")
        record = {"greeting": greeting, "events": [], "raw": [], "socket": connection, "ended": False,
                  "zero_us": self.zero_us}
        if not self.refusal and self.proves:
            with self._lock:
                self.connections.append(record)
        answer = self._proof("host\n%s\n%s" % (greeting["nonce"], self.refusal))
        connection.sendall(json.dumps({"proof": answer if self.proves else "0" * 64, "refused": self.refusal,
                                       "host_key": ""}).encode() + b"\n")
        if self.refusal or not self.proves:
            connection.close()
            return
        try:
            requested = {"kind": "time", "asked_us": time.monotonic_ns() // 1000, "zero_us": self.zero_us}
            connection.sendall(json.dumps(requested).encode() + b"\n")
        except OSError:
            pass  # the rank has ended, but the data that it has sent must still be read
        if not self.reads:
            return
        connection.settimeout(None)
        try:
            for line in stream:
                record["raw"].append(line)
                record["events"].append(json.loads(line))
        except (OSError, ValueError):
            pass
        record["ended"] = True

    def _proof(self, text):
        return hmac.new(self.secret, text.encode(), hashlib.sha256).hexdigest()

    def hang_up(self):
        """Closes all connections at once, as happens when a watcher is killed."""
        self.listener.close()
        for one in self.connections:
            try:
                one["socket"].shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one["socket"].close()

    def close(self):
        """Waits until all ranks have closed their connections, and stops."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not all(one["ended"] for one in self.connections):
            time.sleep(0.01)
        self.listener.close()
        return Recorded([one for one in self.connections])


class Recorded:
    """Reports of the ranks of one run."""

    def __init__(self, connections):
        self.connections = connections

    def ranks(self):
        return sorted({one["greeting"]["rank"] for one in self.connections})

    def of_rank(self, rank, kind=None, about=None):
        """Returns the events of a rank in order, of one kind and one topic of facts."""
        events = [event for one in self.connections if one["greeting"]["rank"] == rank for event in one["events"]]
        if kind is not None:
            events = [event for event in events if event["kind"] == kind]
        if about is not None:
            events = [event["facts"] for event in events if event["kind"] == "script" and event["about"] == about]
        return events

    def column(self, rank, name):
        """Returns one column of the rank's steps frames."""
        return [value for event in self.of_rank(rank, "steps") for value in event[name]]

    def trained(self, rank, loader=0):
        """Returns {epoch: [index, ...]} of the batches that were trained on, in the order of the slots."""
        epochs = {}
        for event in self.of_rank(rank, "indices"):
            if event.get("loader", 0) == loader:
                epochs.setdefault(event["epoch"], []).append((event["slot"], event["index"]))
        return {epoch: [one for _, indices in sorted(parts) for one in indices] for epoch, parts in epochs.items()}

    def untrained(self, rank, loader):
        return [facts.get("index") for facts in self.of_rank(rank, "script", "batch") if facts["loader"] == loader]
