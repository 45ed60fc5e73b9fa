#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Clients of `tsw web` that mean no good.

    web_clients.py many PORT TOKEN N     N connections that send half a request; meanwhile and
                                         afterwards one with the token is answered
    web_clients.py slow PORT SECONDS     a request of an octet a second is ended within SECONDS
    web_clients.py raw PORT TEXT         sends TEXT with its escapes; prints the answer's first line
"""

import http.client
import socket
import sys
import time


def asked(port, token):
    """Answered, and how soon.

    Whoever has connected and not yet sent the token can be ended by those who connect after him.
    """
    began = time.monotonic()
    for tries in (1, 2, 3):
        client = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
        try:
            client.request("GET", "/api/tenants", headers={"Authorization": f"Bearer {token}"})
            answer = client.getresponse()
            answer.read()
        except ConnectionError as error:
            print(tries, error)
            continue
        print(answer.status, f"{time.monotonic() - began:.3f} s")
        return answer.status == 200
    return False


def many(port, token, number):
    held = []
    for _ in range(int(number)):
        one = socket.socket()
        one.setblocking(False)
        one.connect_ex(("127.0.0.1", port))
        held.append(one)
    for one in held:
        try:
            one.send(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
        except OSError:
            pass
    well = asked(port, token)
    for one in held:
        one.close()
    return asked(port, token) and well


def slow(port, seconds):
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(1)
    began = time.monotonic()
    client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ")
    while time.monotonic() - began < float(seconds):
        try:
            client.sendall(b"x")
            if not client.recv(1):
                return True
        except socket.timeout:
            pass
        except OSError:
            return True
    return False


def raw(port, text):
    client = socket.create_connection(("127.0.0.1", port))
    client.settimeout(10)
    client.sendall(text.encode().decode("unicode_escape").encode("latin-1"))
    print(client.makefile("rb").readline().decode("latin-1").strip())
    return True


def main():
    port, rest = int(sys.argv[2]), sys.argv[3:]
    sys.exit(0 if {"many": many, "slow": slow, "raw": raw}[sys.argv[1]](port, *rest) else 1)


main()
