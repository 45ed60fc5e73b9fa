#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Plays the hypervisor: carries frames between a tap on the host and a guest's device.

    tap.py [-o] [-m MAC] [-t] HOST:TAP GUEST:DEV

Makes both devices (HOST and GUEST are namespaces), prints "ready" and copies frames between
them until it is ended; then both are gone. With -o it offers checksum and segmentation
offload as virtio-net does, so that super-frames cross; -m is the guest's MAC. With -t they are
devices of IP packets, without Ethernet, as the ends of somebody's tunnel.
"""

import argparse
import fcntl
import os
import select
import struct

from netns import inside

TUNSETIFF, TUNSETOFFLOAD = 0x400454CA, 0x400454D0
IFF_TUN, IFF_TAP, IFF_NO_PI, IFF_VNET_HDR = 0x0001, 0x0002, 0x1000, 0x4000
TUN_F_CSUM, TUN_F_TSO4, TUN_F_TSO6 = 1, 2, 4
SIOCSIFHWADDR, ARPHRD_ETHER = 0x8924, 1
FRAME = 10 + 14 + 65536  # virtio header, Ethernet header, IP


def open_tap(name, flags=IFF_TAP | IFF_VNET_HDR, mode=0):
    fd = os.open("/dev/net/tun", os.O_RDWR | os.O_CLOEXEC | mode)
    fcntl.ioctl(fd, TUNSETIFF, struct.pack("16sH22x", name.encode(), flags | IFF_NO_PI))
    return fd


def tap(place, offload, mac=None, kind=IFF_TAP):
    netns, name = place.split(":")
    with inside(netns):
        fd = open_tap(name, kind | (IFF_VNET_HDR if offload else 0), os.O_NONBLOCK)
        if offload:
            fcntl.ioctl(fd, TUNSETOFFLOAD, TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6)
        if mac:
            octets = bytes(int(part, 16) for part in mac.split(":"))
            fcntl.ioctl(fd, SIOCSIFHWADDR, struct.pack("16sH6s16x", name.encode(), ARPHRD_ETHER,
                                                       octets))
    return fd


def carry(source, sink):
    """Move what is there; a frame that the other side refuses is lost, as on a wire."""
    try:
        while True:
            frame = os.read(source, FRAME)
            try:
                os.write(sink, frame)
            except OSError:
                pass
    except BlockingIOError:
        pass
    except OSError:
        pass  # the device is down


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-o", dest="offload", action="store_true")
    parser.add_argument("-m", dest="mac")
    parser.add_argument("-t", dest="tun", action="store_true")
    parser.add_argument("host")
    parser.add_argument("guest")
    args = parser.parse_args()
    kind = IFF_TUN if args.tun else IFF_TAP
    host = tap(args.host, args.offload, None, kind)
    guest = tap(args.guest, args.offload, args.mac, kind)
    ends = {host: guest, guest: host}
    print("ready", flush=True)
    while True:
        for fd in select.select(list(ends), [], [])[0]:
            carry(fd, ends[fd])


if __name__ == "__main__":
    main()
