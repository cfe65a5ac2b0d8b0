# SPDX-License-Identifier: Apache-2.0
"""Hosts made of network namespaces of this machine."""
import secrets
import subprocess


def command(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


class SwitchedHosts:
    """Hosts with the numbers 0, 1, ..., each connected to one switch. They exist as long as this object."""
    def __init__(self, count):
        mark = secrets.token_hex(4)
        self.names = [f"ringside-{mark}-{seat}" for seat in range(count)]
        self.switch = f"ringside-{mark}-switch"

    def __enter__(self):
        try:
            command("ip", "netns", "add", self.switch)
            command("ip", "-n", self.switch, "link", "add", "switch", "type", "bridge")
            command("ip", "-n", self.switch, "link", "set", "switch", "up")
            for seat, name in enumerate(self.names):
                self.connect(seat, name)
        except (OSError, subprocess.CalledProcessError):
            self.__exit__()
            raise
        return self

    def connect(self, seat, name):
        command("ip", "netns", "add", name)
        command("ip", "-n", name, "link", "add", "wire", "type", "veth", "peer", "name", f"port{seat}", "netns", self.switch)
        command("ip", "-n", self.switch, "link", "set", f"port{seat}", "master", "switch", "up")
        command("ip", "-n", name, "addr", "add", f"{self.address(seat)}/24", "dev", "wire")
        for device in ("lo", "wire"):
            command("ip", "-n", name, "link", "set", device, "up")

    def __exit__(self, *_):
        for name in [*self.names, self.switch]:
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)

    def address(self, seat):
        return f"10.77.32.{seat + 1}"

    def on(self, seat):
        """Returns the beginning of a command line that runs on a host."""
        return ["ip", "netns", "exec", self.names[seat]]

    def inside(self, seat):
        """Returns the same as on(), with the separate host name nodeN."""
        return [*self.on(seat), "unshare", "--uts", "sh", "-c", f'hostname node{seat}; exec "$@"', "sh"]

    def write_agent(self, path):
        """Writes a replacement for ssh: `path [OPTION] ADDRESS COMMAND...` runs the command on the host with that
        address.
        """
        cases = "\n".join(f"{self.address(seat)}) exec ip netns exec {name} unshare --uts sh -c "
                          f"'hostname node{seat}; exec sh -c \"$0\"' \"$*\";;" for seat, name in enumerate(self.names))
        path.write_text('#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nhost=$1; shift\n'
                        f"case $host in\n{cases}\nesac\nexit 255\n")
        path.chmod(0o755)

    def cable(self, seat, state):
        command("ip", "-n", self.switch, "link", "set", f"port{seat}", state)

    def listening(self):
        """Returns all listening sockets of all hosts as "address:port"."""
        found = []
        for name in self.names:
            lines = subprocess.run(["ip", "netns", "exec", name, "ss", "-Hltu"], check=True, stdout=subprocess.PIPE, text=True)
            found += [line.split()[4] for line in lines.stdout.splitlines()]
        return found

    def slow_down(self, seat, rate, burst="64k"):
        """Limits the rate of a host in both directions, for example to "100mbit". Uses a token bucket filter, which
        kernels without netem have too.
        """
        for namespace, device in ((self.names[seat], "wire"), (self.switch, f"port{seat}")):
            command("ip", "netns", "exec", namespace, "tc", "qdisc", "add", "dev", device, "root", "tbf", "rate", rate, "burst",
                    burst, "latency", "400ms")


def why_not():
    """Returns why hosts cannot be created; empty if they can."""
    try:
        with SwitchedHosts(1):
            return ""
    except (OSError, subprocess.CalledProcessError) as error:
        said = error.stderr.decode().strip() if isinstance(error, subprocess.CalledProcessError) else str(error)
        return "network namespaces cannot be made here: " + said
