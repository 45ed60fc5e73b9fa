#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Protocols that name addresses and ports, by which the other side then begins a connection.

    helpers.py serve               FTP at port 21, TFTP at 69, SIP at 5060: each gives "data"
    helpers.py port ADDRESS PORT   FTP: the data comes to this side's PORT (PORT, or EPRT of IPv6)
    helpers.py pasv ADDRESS        FTP: it is fetched at the server (PASV, or EPSV)
    helpers.py tftp ADDRESS        TFTP: it comes from another port
    helpers.py sip ADDRESS PORT    SIP: it comes to this side's PORT of UDP, as a call's media
Prints what came, or "silence"; of SIP before that how the server saw the question.
"""

import re
import select
import socket
import sys

WAIT = 2


def listener(kind, port, address="::"):
    sock = socket.socket(socket.AF_INET6, kind)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    sock.bind((address, port))
    if kind == socket.SOCK_STREAM:
        sock.listen()
    return sock


# ---- the server ---------------------------------------------------------------------------------


def give(address, port, bind=0):
    """By a connection to there; nobody may wait."""
    try:
        with listener(socket.SOCK_STREAM, 0) as probe:
            source = ("", bind or probe.getsockname()[1])
        with socket.create_connection((address, port), WAIT, source) as data:
            data.sendall(b"data")
    except OSError as error:
        print(address, port, error, flush=True)


def ftp_line(conn, line):
    found = re.match(rb"PORT (\d+),(\d+),(\d+),(\d+),(\d+),(\d+)", line)
    if found:
        words = [int(word) for word in found.groups()]
        give(".".join(map(str, words[:4])), words[4] * 256 + words[5])
    found = re.match(rb"EPRT \|\d\|([^|]*)\|(\d+)\|", line)
    if found:
        give(found[1].decode(), int(found[2]))
    if line[:4] in (b"PASV", b"EPSV"):
        with listener(socket.SOCK_STREAM, 0) as passive:
            passive.settimeout(WAIT)
            port = passive.getsockname()[1]
            own = conn.getsockname()[0].removeprefix("::ffff:").replace(".", ",")
            text = f"229 there (|||{port}|)" if line[:4] == b"EPSV" else (
                f"227 there ({own},{port // 256},{port % 256})")
            conn.sendall(text.encode() + b"\r\n")
            with passive.accept()[0] as data:
                data.sendall(b"data")
    elif line:
        conn.sendall(b"200 ok\r\n")


def ftp(conn):
    with conn, conn.makefile("rb") as lines:
        conn.settimeout(WAIT)
        conn.sendall(b"220 ready\r\n")
        try:
            for line in lines:
                ftp_line(conn, line)
        except OSError:
            pass


def tftp(sock):
    _, peer = sock.recvfrom(2048)
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as other:
        other.sendto(b"\0\3\0\1data", peer)


def sip(sock):
    asked, peer = sock.recvfrom(4096)
    seen = b" ".join(re.findall(rb"(?:Contact: |c=).*?(?=\r\n)", asked))
    head = b"\r\n".join(re.findall(rb"(?:Via|From|To|Call-ID|CSeq): .*?(?=\r\n)", asked))
    sock.sendto(b"SIP/2.0 100 Trying\r\n" + head + b"\r\nX-Seen: " + seen + b"\r\n\r\n", peer)
    address = re.search(rb"c=IN IP\d ([^\r]*)", asked)[1].decode()
    port = int(re.search(rb"m=audio (\d+)", asked)[1])
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as media:
        media.sendto(b"data", (address, port))


def serve():
    socks = {listener(socket.SOCK_STREAM, 21): lambda sock: ftp(sock.accept()[0]),
             listener(socket.SOCK_DGRAM, 69): tftp, listener(socket.SOCK_DGRAM, 5060): sip}
    print("ready", flush=True)
    while True:
        for sock in select.select(list(socks), [], [])[0]:
            try:
                socks[sock](sock)
            except OSError as error:
                print(error, flush=True)


# ---- who asks -----------------------------------------------------------------------------------


def control(address):
    conn = socket.create_connection((address, 21), WAIT)
    lines = conn.makefile("rb")
    lines.readline()
    conn.sendall(b"USER me\r\n")
    lines.readline()
    return conn, lines


def port(address, number):
    conn, _ = control(address)
    own = conn.getsockname()[0]
    with conn, listener(socket.SOCK_STREAM, int(number)) as wait:
        wait.settimeout(WAIT)
        if ":" in own:
            conn.sendall(f"EPRT |2|{own}|{number}|\r\n".encode())
        else:
            words = own.split(".") + [str(int(number) // 256), str(int(number) % 256)]
            conn.sendall(f"PORT {','.join(words)}\r\n".encode())
        with wait.accept()[0] as data:
            return data.recv(64).decode()


def pasv(address):
    conn, lines = control(address)
    with conn:
        conn.sendall(b"EPSV\r\n" if ":" in address else b"PASV\r\n")
        said = re.findall(rb"\d+", lines.readline())[1:]
        number = int(said[0]) if len(said) == 1 else int(said[4]) * 256 + int(said[5])
        with socket.create_connection((address, number), WAIT) as data:
            return data.recv(64).decode()


def question(address, number):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.settimeout(WAIT)
    sock.connect((address, number))
    own = sock.getsockname()[0]
    sock.close()
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.settimeout(WAIT)
    return sock, own


def tftp_ask(address):
    sock, _ = question(address, 69)
    sock.sendto(b"\0\1file\0octet\0", (address, 69))
    return sock.recv(64)[4:].decode()


def sip_ask(address, number):
    sock, own = question(address, 5060)
    version = "6" if ":" in own else "4"
    host = f"[{own}]" if ":" in own else own
    near = int(number) + 2
    sdp = (f"v=0\r\no=- 1 1 IN IP{version} {own}\r\ns=-\r\nc=IN IP{version} {own}\r\nt=0 0\r\n"
           f"m=audio {number} RTP/AVP 0\r\n")
    head = (f"INVITE sip:b@example SIP/2.0\r\nVia: SIP/2.0/UDP {host}:{near};branch=z9hG4bK1\r\n"
            f"From: <sip:a@{host}>;tag=1\r\nTo: <sip:b@example>\r\nCall-ID: 1@a\r\n"
            f"CSeq: 1 INVITE\r\nContact: <sip:a@{host}:{near}>\r\nContent-Type: application/sdp\r\n"
            f"Content-Length: {len(sdp)}\r\n\r\n")
    with listener(socket.SOCK_DGRAM, int(number)) as media:
        media.settimeout(WAIT)
        sock.bind((own, near))
        sock.sendto((head + sdp).encode(), (address, 5060))
        print(sock.recv(4096).decode().split("X-Seen: ")[1].strip(), flush=True)
        return media.recv(64).decode()


def main():
    what, *words = sys.argv[1:]
    if what == "serve":
        serve()
    try:
        print({"port": port, "pasv": pasv, "tftp": tftp_ask, "sip": sip_ask}[what](*words))
    except OSError:
        print("silence")


if __name__ == "__main__":
    main()
