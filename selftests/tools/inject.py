#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Sends a frame on a device, octet by octet as told.

    inject.py [OPTION]... DEV LAYER [KEY=VALUE]... [/ LAYER ...]...
    inject.py [OPTION]... DEV - < FILE      one frame a line, # comments

The layers are those of frames.py.
"""

import argparse
import errno
import os
import socket
import struct
import sys

import frames
from netns import enter

SO_SNDBUFFORCE, SO_MARK = 32, 36
SOL_PACKET, PACKET_VNET_HDR, PACKET_QDISC_BYPASS, NEEDS_CSUM = 263, 15, 20, 1


def frames_of(words):
    if words != ["-"]:
        return frames.build(words)
    lines = (line.split("#")[0].split() for line in sys.stdin)
    return [frame for line in lines if line for frame in frames.build(line)]


def send(sock, frame):
    try:
        sock.send(frame)
    except OSError as error:
        # What a program at the device's egress drops is told as that: it has been sent.
        if error.errno != errno.ENOBUFS:
            raise


def main():
    parser = argparse.ArgumentParser(description=__doc__ + frames.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", metavar="NETNS", dest="netns", help="go there first")
    parser.add_argument("-c", metavar="COUNT", dest="count", type=int, default=1,
                        help="how often")
    parser.add_argument("-p", dest="show", action="store_true",
                        help="print the frames as hex, send nothing")
    parser.add_argument("-C", metavar="CPU", dest="cpu", type=int, help="run there alone")
    parser.add_argument("-M", metavar="MARK", dest="mark", type=int, default=0,
                        help="SO_MARK of the socket")
    parser.add_argument("-w", dest="wire", action="store_true",
                        help="as from the wire behind the device: no program at its egress "
                        "sees it")
    parser.add_argument("-O", metavar="START,OFFSET", dest="csum",
                        help="leave the checksum from START on, written at START + OFFSET, "
                        "to the device")
    parser.add_argument("-G", metavar="TYPE,SIZE", dest="gso", default="0,0",
                        help="with -O: as one frame of many, 1 TCP, 4 TCP over IPv6, 5 UDP, of "
                        "SIZE octets each")
    parser.add_argument("dev")
    parser.add_argument("layers", nargs="+", help="words, or - for lines on stdin")
    args = parser.parse_args()

    if args.cpu is not None:
        os.sched_setaffinity(0, {args.cpu})
    todo = frames_of(args.layers)
    if args.csum:
        start, offset = map(int, args.csum.split(","))
        kind, size = map(int, args.gso.split(","))
        header = struct.pack("=BBHHHH", NEEDS_CSUM, kind, 0, size, start, offset)
        todo = [header + frame for frame in todo]
    if args.show:
        print("\n".join(frame.hex() for frame in todo))
        return
    if args.netns:
        enter(args.netns)
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW) as sock:
        sock.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, 1 << 24)
        sock.setsockopt(socket.SOL_SOCKET, SO_MARK, struct.pack("=I", args.mark))
        if args.csum:
            sock.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
        if args.wire:
            sock.setsockopt(SOL_PACKET, PACKET_QDISC_BYPASS, 1)
        sock.bind((args.dev, 0))
        for _ in range(args.count):
            for frame in todo:
                send(sock, frame)


if __name__ == "__main__":
    main()
