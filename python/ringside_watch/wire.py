# SPDX-License-Identifier: Apache-2.0
"""Connection to the watcher: addresses, the handshake and lines of JSON, as described in docs/watch-protocol.md."""
import hashlib
import hmac
import json
import math
import os
import select
import socket
import time

VERSION = 1
HANDSHAKE_SECONDS = 5.0
MAX_LINE = 65536  # limit of the length of a line from the watcher, in bytes


class Refused(Exception):
    """Raised if the watcher is missing, does not know the secret, or does not accept this process."""


def finite(value):
    """Replaces floats that JSON cannot express by None, also inside lists and dicts."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): finite(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(one) for one in value]
    return value


_encoder = json.JSONEncoder(separators=(",", ":"), allow_nan=False, check_circular=False)


def encode(kind, fields):
    """Returns one event as a line of JSON, in the order of the fields, with null for NaN and infinity."""
    event = {"kind": kind}
    event.update(fields)
    try:
        text = _encoder.encode(event)
    except ValueError:
        text = _encoder.encode(finite(event))
    return text.encode() + b"\n"


def proof(secret, text):
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()


def proven_text(greeting, host_nonce):
    """Returns the text over which a rank computes its proof of the secret, as Greeting::provenText in the engine."""
    return "\n".join(["rank", host_nonce, greeting["nonce"], greeting["role"], str(greeting["rank"]),
                      greeting["program"], greeting["experiment"], greeting["host"], greeting["host_key"],
                      str(greeting["pid"])])


def read_secret(path):
    """Returns the content of the secret's file without surrounding white space; empty if no path is given."""
    if not path:
        return b""
    with open(path, "rb") as file:
        return file.read(4096).strip()


def open_socket(address, seconds):
    kind, _, place = address.partition(":")
    if kind == "unix":
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.settimeout(seconds)
        connection.connect(place)
        return connection
    if kind == "tcp":
        host, _, port = place.rpartition(":")
        connection = socket.create_connection((host.strip("[]"), int(port)), seconds)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return connection
    raise Refused("RINGSIDE_WATCH is neither unix:PATH nor tcp:HOST:PORT")


class Connection:
    """An authenticated connection. Used by one thread."""

    def __init__(self, connection):
        self.socket = connection
        self._received = b""
        connection.setblocking(False)

    def fileno(self):
        return self.socket.fileno()

    def lines(self):
        """Returns the complete lines that have arrived. Raises OSError at the end of the connection."""
        try:
            piece = self.socket.recv(MAX_LINE)
        except (BlockingIOError, InterruptedError):
            return []
        if not piece:
            raise ConnectionResetError("the watcher has closed the connection")
        self._received += piece
        *lines, self._received = self._received.split(b"\n")
        if len(self._received) > MAX_LINE:
            raise ConnectionResetError("the watcher sent a line of more than %d bytes" % MAX_LINE)
        return [one for one in (_parsed(line) for line in lines) if isinstance(one, dict)]

    def write(self, data):
        """Writes as much as the socket accepts without blocking. Returns the number of bytes."""
        try:
            return self.socket.send(data)
        except (BlockingIOError, InterruptedError):
            return 0

    def wait(self, seconds, writes, extra):
        """Blocks until the watcher has sent data, `extra` is readable, the socket is writable (only if `writes`), or
        `seconds` have passed.
        """
        select.select([self, extra], [self] if writes else [], [], seconds)

    def wait_to_read(self, seconds):
        select.select([self], [], [], seconds)

    def close_in_child(self):
        """Closes the descriptor in a forked child. The connection, which belongs to the parent, stays open."""
        self.socket.close()

    def close(self):
        """Closes the connection after everything that was written has been sent."""
        try:
            self.socket.shutdown(socket.SHUT_WR)
            self.lines()  # reads the remaining bytes, because unread bytes would make TCP discard the written ones
        except OSError:
            pass
        self.socket.close()


def _parsed(line):
    try:
        return json.loads(line)
    except ValueError:
        return None


def _receive(connection, deadline):
    """Reads one line of the handshake, byte by byte, so that the bytes after the line stay in the socket for the next
    reader.
    """
    line = b""
    while not line.endswith(b"\n"):
        connection.settimeout(max(0.001, deadline - time.monotonic()))
        byte = connection.recv(1)
        if not byte:
            raise Refused("the watcher closed the connection during the handshake")
        if len(line) > MAX_LINE:
            raise Refused("the watcher sent a line of more than %d bytes during the handshake" % MAX_LINE)
        line += byte
    answer = _parsed(line)
    if not isinstance(answer, dict):
        raise Refused("the watcher sent no JSON object")
    return answer


def connect(address, secret, rank, program):
    """Returns an authenticated Connection for the rank. Raises Refused or OSError."""
    deadline = time.monotonic() + HANDSHAKE_SECONDS
    connection = open_socket(address, HANDSHAKE_SECONDS)
    try:
        _shake_hands(connection, secret, rank, program, deadline)
    except BaseException:
        connection.close()
        raise
    return Connection(connection)


def _shake_hands(connection, secret, rank, program, deadline):
    challenge = _receive(connection, deadline)
    if challenge.get("ringside") != VERSION or not isinstance(challenge.get("nonce"), str):
        raise Refused("the peer is not a watcher of this version")
    greeting = {"role": "watch", "rank": rank, "nonce": os.urandom(16).hex(), "proof": "", "program": program,
                "experiment": "watch", "host": socket.gethostname()[:200], "host_key": host_key(), "pid": os.getpid()}
    greeting["proof"] = proof(secret, proven_text(greeting, challenge["nonce"]))
    connection.settimeout(max(0.001, deadline - time.monotonic()))
    connection.sendall(json.dumps(greeting).encode() + b"\n")
    answer = _receive(connection, deadline)
    refused = answer.get("refused") or ""
    expected = proof(secret, "host\n%s\n%s" % (greeting["nonce"], refused))
    if not hmac.compare_digest(str(answer.get("proof", "")), expected):
        raise Refused("the watcher does not know the secret")
    if refused:
        raise Refused(refused)


def host_key():
    """Returns a text that is equal for all processes with the same CLOCK_MONOTONIC."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read(64).strip()
    except OSError:
        return ""
