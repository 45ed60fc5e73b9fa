#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What a container's root tries on its end of a netkit pair: prints what the kernel says."""

import argparse
import ctypes
import errno
import os
import socket
import struct
import sys

from netkit import (ACK, IFLA_LINKINFO, INFO_DATA, INFO_KIND, NETKIT_MODE, NETKIT_PEER_POLICY,
                    REQUEST, RTM_NEWLINK, attr, text)

NETKIT_POLICY = 3
SYS_BPF = {"x86_64": 321, "aarch64": 280}[os.uname().machine]
LOAD, ATTACH, DETACH, QUERY, LINK_CREATE, LINK_UPDATE, LINK_FD, LINK_DETACH = (
    5, 8, 9, 16, 28, 29, 30, 34)
SCHED_CLS = 3
SIZE = 128  # of the attributes
PLACES = {"primary": 54, "peer": 55}
LIBC = ctypes.CDLL(None, use_errno=True)


def call(command, octets):
    """The result of bpf(2), or -errno."""
    done = LIBC.syscall(SYS_BPF, command, octets, SIZE)
    return done if done >= 0 else -ctypes.get_errno()


def bpf(command, *fields):
    """With fields of 32 bits."""
    return call(command, ctypes.create_string_buffer(struct.pack(f"{len(fields)}I", *fields), SIZE))


def count(index):
    """How many programs run where the other end of the host's end sends."""
    octets = ctypes.create_string_buffer(struct.pack("II", index, PLACES["peer"]), SIZE)
    done = call(QUERY, octets)
    return struct.unpack_from("I", octets, 24)[0] if done >= 0 else os.strerror(-done)


def load():
    """A program that lets everything through."""
    code = ctypes.create_string_buffer(bytes.fromhex("b700000000000000" "9500000000000000"))
    gpl = ctypes.create_string_buffer(b"GPL")
    octets = ctypes.create_string_buffer(
        struct.pack("IIQQ", SCHED_CLS, 2, ctypes.addressof(code), ctypes.addressof(gpl)), SIZE)
    done = call(LOAD, octets)
    if done < 0:
        sys.exit(f"load: {os.strerror(-done)}")
    return done


def change(index, kind, value):
    """RTM_NEWLINK of DEV, with something else in what is netkit's own."""
    info = attr(INFO_KIND, text("netkit")) + attr(INFO_DATA, attr(kind, value))
    octets = struct.pack("=BxHiII", 0, 0, index, 0, 0) + attr(IFLA_LINKINFO, info)
    head = struct.pack("=IHHII", 16 + len(octets), RTM_NEWLINK, REQUEST | ACK, 1, 0)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.send(head + octets)
        return struct.unpack_from("=i", sock.recv(65536), 16)[0]


def tries(index, link):
    program = load()
    for name, place in PLACES.items():
        yield f"link-{name}", bpf(LINK_CREATE, program, index, place, 0)
        yield f"attach-{name}", bpf(ATTACH, index, program, place, 0)
        yield f"detach-{name}", bpf(DETACH, index, 0, place, 0)
        yield f"query-{name}", bpf(QUERY, index, place, 0, 0)
    for name, kind in ("mode", NETKIT_MODE), ("policy", NETKIT_POLICY), (
            "peer-policy", NETKIT_PEER_POLICY):
        yield name, change(index, kind, 0)
    if link:
        fd = bpf(LINK_FD, link)
        yield "its-link", fd
        if fd >= 0:
            yield "update", bpf(LINK_UPDATE, fd, program, 0, 0)
            yield "detach", bpf(LINK_DETACH, fd)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-c", dest="count", action="store_true",
                        help="how many programs there are at the other end of DEV, the host's")
    parser.add_argument("dev", help="the container's end")
    parser.add_argument("link", nargs="?", type=int, default=0,
                        help="the kernel's number of a link of the pair's")
    args = parser.parse_args()
    index = socket.if_nametoindex(args.dev)
    if args.count:
        print(count(index))
        return
    for name, done in tries(index, args.link):
        print(name, errno.errorcode[-done] if done < 0 else "done")


if __name__ == "__main__":
    main()
