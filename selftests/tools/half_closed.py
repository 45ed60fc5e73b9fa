#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""A connection of which one side has said all, while the other thinks about its answer.

    half_closed.py serve PORT SECONDS      reads to the end, answers "late" so many seconds later
    half_closed.py ask ADDRESS PORT SECONDS  says nothing and waits; prints the answer or "silence"
"""

import socket
import sys
import time


def serve(port, seconds):
    with socket.create_server(("", int(port))) as listener:
        print("ready", flush=True)
        while True:
            conn, _ = listener.accept()
            with conn:
                conn.recv(1)
                time.sleep(float(seconds))
                try:
                    conn.sendall(b"late")
                except OSError:
                    pass


def ask(address, port, seconds):
    with socket.create_connection((address, int(port)), 3) as sock:
        sock.settimeout(float(seconds))
        sock.shutdown(socket.SHUT_WR)
        try:
            print(sock.recv(64).decode() or "closed")
        except OSError:
            print("silence")


if __name__ == "__main__":
    {"serve": serve, "ask": ask}[sys.argv[1]](*sys.argv[2:])
