#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Connects one place with another, over namespaces: forward.py LISTEN CONNECT [SECONDS], each a
path of a UNIX socket or ADDRESS:PORT. All that comes back is late by so many SECONDS."""

import socket
import sys
import threading
import time


def place(text):
    if "/" in text:
        return socket.AF_UNIX, text
    host, port = text.rsplit(":", 1)
    return socket.AF_INET, (host, int(port))


def copy(source, sink, late):
    try:
        while data := source.recv(65536):
            time.sleep(late)
            sink.sendall(data)
    except OSError:
        pass
    for end, how in (source, socket.SHUT_RD), (sink, socket.SHUT_WR):
        try:
            end.shutdown(how)
        except OSError:
            pass


def serve(near, where, late):
    far = socket.socket(where[0])
    try:
        far.connect(where[1])
    except OSError:
        near.close()
        return
    for end in near, far:
        if end.family == socket.AF_INET:  # or each answer waits for the other end's late ACK
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for way in (near, far, 0), (far, near, late):
        threading.Thread(target=copy, args=way, daemon=True).start()


def main():
    family, address = place(sys.argv[1])
    listener = socket.socket(family)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(address)
    listener.listen(256)
    late = float(sys.argv[3]) if sys.argv[3:] else 0
    while True:
        serve(listener.accept()[0], place(sys.argv[2]), late)


if __name__ == "__main__":
    main()
