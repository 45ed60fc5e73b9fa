#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Makes a netkit pair, which Debian 12's ip does not know. Exit status 77: nor does this kernel."""

import argparse
import errno
import os
import socket
import struct
import sys

RTM_NEWLINK = 16
REQUEST, ACK, EXCL, CREATE = 1, 4, 0x200, 0x400
IFLA_ADDRESS, IFLA_IFNAME, IFLA_MTU, IFLA_LINKINFO, IFLA_NET_NS_FD = 1, 3, 4, 18, 28
INFO_KIND, INFO_DATA = 1, 2
NETKIT_PEER_INFO, NETKIT_PEER_POLICY, NETKIT_MODE, NETKIT_PEER_SCRUB = 1, 4, 5, 7
MODES = {"l2": 0, "l3": 1}
POLICIES = {"forward": 0, "blackhole": 2}
SCRUBS = {"none": 0, "default": 1}
NO_KIND = (errno.EOPNOTSUPP, errno.ENODEV)


def attr(kind, value):
    if isinstance(value, int):
        value = struct.pack("=I", value)
    size = 4 + len(value)
    return struct.pack("=HH", size, kind) + value + bytes(-size % 4)


def text(value):
    return value.encode() + b"\0"


def end_of_peer(args, netns):
    """What the other end is to have."""
    octets = bytes(16)
    octets += attr(IFLA_IFNAME, text(args.peer)) + attr(IFLA_MTU, args.peer_mtu)
    octets += attr(IFLA_NET_NS_FD, netns)
    if args.mac:
        octets += attr(IFLA_ADDRESS, bytes.fromhex(args.mac.replace(":", "")))
    return octets


def request(args, netns):
    data = attr(NETKIT_MODE, MODES[args.mode]) + attr(NETKIT_PEER_POLICY, POLICIES[args.policy])
    if args.scrub:
        data += attr(NETKIT_PEER_SCRUB, SCRUBS[args.scrub])
    data += attr(NETKIT_PEER_INFO, end_of_peer(args, netns))
    octets = struct.pack("=4xi8x", args.index)
    octets += attr(IFLA_IFNAME, text(args.dev)) + attr(IFLA_MTU, args.mtu)
    octets += attr(IFLA_LINKINFO, attr(INFO_KIND, text("netkit")) + attr(INFO_DATA, data))
    head = struct.pack("=IHHII", 16 + len(octets), RTM_NEWLINK, REQUEST | ACK | EXCL | CREATE, 1, 0)
    return head + octets


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dev", help="this namespace's end, the primary one")
    parser.add_argument("peer", help="the other end")
    parser.add_argument("netns", help="where that is: a path")
    parser.add_argument("--index", type=int, default=0, help="of this one; 0: what is free")
    parser.add_argument("--mac", help="of the other end")
    parser.add_argument("--mtu", type=int, default=1500)
    parser.add_argument("--peer-mtu", type=int, default=1500)
    parser.add_argument("--mode", choices=MODES, default="l2")
    parser.add_argument("--policy", choices=POLICIES, default="blackhole", help="of the other end")
    parser.add_argument("--scrub", choices=SCRUBS, help="of the other end")
    args = parser.parse_args()
    netns = os.open(args.netns, os.O_RDONLY)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE) as sock:
        sock.send(request(args, netns))
        code = -struct.unpack_from("=i", sock.recv(65536), 16)[0]
    if code in NO_KIND:
        print("this kernel has no netkit: it came with Linux 6.7")
        return 77
    if code:
        print(f"{args.dev}: {os.strerror(code)}", file=sys.stderr)
    return 1 if code else 0


if __name__ == "__main__":
    sys.exit(main())
