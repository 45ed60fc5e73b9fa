#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends a guest's super-frame of VXLAN with TCP inside, cut by its host: virtio's UDP tunnel GSO.

    tunnel_gso.py NETNS TAP SIZE LAYER [KEY=VALUE]... [/ LAYER ...]...

The layers are those of frames.py: Ethernet, IPv4, UDP, VXLAN, Ethernet, IPv4, TCP, none with
options. SIZE octets are in each segment. Exit status 77: this kernel's taps have none of it (Linux
6.17).
"""

import fcntl
import os
import struct
import sys

from inject import frames_of
from netns import enter
from tap import IFF_NO_PI, IFF_TAP, IFF_VNET_HDR, TUNSETIFF

TUNSETOFFLOAD, TUNSETVNETHDRSZ = 0x400454D0, 0x400454D8
F_CSUM, F_TSO4, F_TSO6, F_USO4, F_USO6, F_UDP_TUNNEL_GSO = 1, 2, 4, 0x20, 0x40, 0x80
NEEDS_CSUM, GSO_TCPV4, GSO_UDP_TUNNEL_IPV4 = 1, 1, 0x20
OUTER_L4, INNER_L3, INNER_L4 = 34, 64, 84


def main():
    netns, tap, size = sys.argv[1:4]
    frame = frames_of(sys.argv[4:])[0]
    enter(netns)
    device = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(device, TUNSETIFF,
                struct.pack("16sH22x", tap.encode(), IFF_TAP | IFF_NO_PI | IFF_VNET_HDR))
    try:
        fcntl.ioctl(device, TUNSETVNETHDRSZ, struct.pack("i", 24))
        fcntl.ioctl(device, TUNSETOFFLOAD, F_CSUM | F_TSO4 | F_TSO6 | F_USO4 | F_USO6
                    | F_UDP_TUNNEL_GSO)
    except OSError:
        sys.exit(77)
    # Not in a header without a hash: the number of buffers, the hash and its kind.
    kind = GSO_TCPV4 | GSO_UDP_TUNNEL_IPV4
    header = struct.pack("=BBHHHHHIHHHH", NEEDS_CSUM, kind, INNER_L4 + 20, int(size), INNER_L4,
                         16, 0, 0, 0, 0, OUTER_L4, INNER_L3)
    os.write(device, header + frame)


if __name__ == "__main__":
    main()
