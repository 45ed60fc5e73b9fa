#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Asks SERVER for NAME again and again by one port, each time when it is answered, and says what
is not answered within a second, or not by ADDRESS. Ends by SIGTERM.
usage: dns_again.py SERVER NAME ADDRESS"""
import signal
import socket
import struct
import sys

server, name, address = sys.argv[1:]
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.connect((server, 53))
sock.settimeout(1)
going, asked, bad = True, 0, 0


def stop(*_):
    global going
    going = False


signal.signal(signal.SIGTERM, stop)
question = b"".join(bytes([len(p)]) + p.encode() for p in name.split(".")) + b"\0\0\1\0\1"
while going:
    asked += 1
    head = struct.pack("!6H", asked & 0xFFFF, 0x0100, 1, 0, 0, 0)
    sock.send(head + question)
    try:
        answer = sock.recv(512)
    except OSError as error:
        bad += 1
        print(asked, error, flush=True)
        continue
    if answer[:2] != head[:2] or not answer.endswith(socket.inet_aton(address)):
        bad += 1
        print(asked, answer.hex(), flush=True)
    if asked == 3:
        print("ready", flush=True)
print(f"{asked} asked, {bad} not answered")
sys.exit(bad > 0 or asked < 10)
