# SPDX-License-Identifier: GPL-2.0-only
"""Frames from words and words from frames, for inject.py and dissect.py.

A frame is written as layers parted by a slash, each a name and KEY=VALUE words:

    eth src=02:00:00:00:00:01 dst=02:00:00:00:00:02 / ip src=10.0.0.1 dst=10.0.0.2 / udp / text hi

Lengths, checksums and protocol numbers are worked out unless they are given. The layers:

    eth     src dst type             vlan   vid pcp dei tpid
    arp     op sha spa tha tpa       vxlan  vni flags res1 res2
    geneve  vni ver o c res1 res2 type opts (hexadecimal) count (of their words)
    ip      src dst tos ttl id df mf frag opts proto csum len
    ip6     src dst tc flow hlim nh len
    hopopt  nh, dstopt nh            frag6  off m id nh
    udp     sport dport csum len     tcp    sport dport seq ack flags win csum
    icmp    type code id seq         icmp6  type code body
    ns      target lladdr            na     target lladdr flags
    gre     key seq sum csum routing flags type    route6 nh
    text WORD, hex DIGITS, pad NUMBER

A GRE header has the fields that are named: `key=5 seq=1`, a checksum with `sum=1` or `csum=N`;
flags replaces the first 16 bits. At the end may stand what is done to the whole frame:

    trail NUMBER         octets behind the packet, as Ethernet pads
    cut FIRST[-LAST]     only so many octets of it; a frame for each length
    within FIRST-LAST    only so many behind the tunnel's header, all lengths right; likewise
    fragment at=N part=N in two, the first with N octets of payload; part=1 or 2: that one alone
"""

import ipaddress
import socket
import struct

ETHERTYPE = {"ip": 0x0800, "arp": 0x0806, "ip6": 0x86DD}
PROTOCOL = {
    "hopopt": 0, "icmp": 1, "ip": 4, "tcp": 6, "udp": 17, "ip6": 41, "route6": 43, "frag6": 44,
    "gre": 47, "icmp6": 58, "ns": 58, "na": 58, "dstopt": 60,
}
GRE_CSUM, GRE_ROUTING, GRE_KEY, GRE_SEQUENCE = 0x8000, 0x4000, 0x2000, 0x1000
GRE_ETHERNET = 0x6558  # and Geneve's
GENEVE_PORT = 6081  # RFC 8926 section 3.3
NOTHING_KNOWN = 253  # RFC 3692: for experiments


def num(fields, key, default):
    return int(str(fields.get(key, default)), 0)


def mac(text):
    return bytes(int(part, 16) for part in text.split(":"))


def addr(text):
    return ipaddress.ip_address(text).packed


def checksum(data):
    """The Internet checksum (RFC 1071)."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def pseudo(src, dst, proto, data):
    if len(src) == 4:
        return src + dst + struct.pack("!BBH", 0, proto, len(data)) + data
    return src + dst + struct.pack("!IHBB", len(data), 0, 0, proto) + data


class Build:
    """One method a layer; each is given what comes after it."""

    def __init__(self, layers):
        self.layers = layers

    def frame(self):
        data = b""
        for at in range(len(self.layers) - 1, -1, -1):
            name, fields = self.layers[at]
            follower = self.layers[at + 1] if at + 1 < len(self.layers) else ("", {})
            data = getattr(self, "do_" + name)(at, fields, follower, data)
        return data

    def addresses(self, at):
        """Source and destination of the IP layer around layer `at`."""
        for name, fields in reversed(self.layers[:at]):
            if name in ("ip", "ip6"):
                none = "0.0.0.0" if name == "ip" else "::"
                return addr(fields.get("src", none)), addr(fields.get("dst", none))
        return bytes(4), bytes(4)

    @staticmethod
    def ethertype(follower, default=0x88B5):
        if follower[0] == "vlan":
            return num(follower[1], "tpid", 0x8100)
        return ETHERTYPE.get(follower[0], default)

    def do_eth(self, _at, f, follower, data):
        kind = num(f, "type", self.ethertype(follower))
        zero = "00:00:00:00:00:00"
        return mac(f.get("dst", zero)) + mac(f.get("src", zero)) + struct.pack("!H", kind) + data

    def do_vlan(self, _at, f, follower, data):
        tci = num(f, "pcp", 0) << 13 | num(f, "dei", 0) << 12 | num(f, "vid", 0)
        return struct.pack("!HH", tci, num(f, "type", self.ethertype(follower))) + data

    def do_arp(self, _at, f, _follower, data):
        zero = "00:00:00:00:00:00"
        return (struct.pack("!HHBBH", 1, 0x0800, 6, 4, num(f, "op", 1))
                + mac(f.get("sha", zero)) + addr(f.get("spa", "0.0.0.0"))
                + mac(f.get("tha", zero)) + addr(f.get("tpa", "0.0.0.0")) + data)

    def do_ip(self, _at, f, follower, data):
        opts = bytes.fromhex(f.get("opts", ""))
        opts += bytes(-len(opts) % 4)
        words = 5 + len(opts) // 4
        frag = num(f, "df", 0) << 14 | num(f, "mf", 0) << 13 | num(f, "frag", 0) >> 3
        proto = num(f, "proto", PROTOCOL.get(follower[0], NOTHING_KNOWN))
        head = struct.pack("!BBHHHBB", 0x40 | words, num(f, "tos", 0),
                           num(f, "len", words * 4 + len(data)), num(f, "id", 0), frag,
                           num(f, "ttl", 64), proto)
        tail = addr(f.get("src", "0.0.0.0")) + addr(f.get("dst", "0.0.0.0")) + opts
        csum = num(f, "csum", checksum(head + b"\0\0" + tail))
        return head + struct.pack("!H", csum) + tail + data

    def do_ip6(self, _at, f, follower, data):
        first = 6 << 28 | num(f, "tc", 0) << 20 | num(f, "flow", 0)
        return (struct.pack("!IHBB", first, num(f, "len", len(data)),
                            num(f, "nh", PROTOCOL.get(follower[0], NOTHING_KNOWN)),
                            num(f, "hlim", 64))
                + addr(f.get("src", "::")) + addr(f.get("dst", "::")) + data)

    def do_hopopt(self, _at, f, follower, data):
        # A PadN option fills the eight octets (RFC 8200 section 4.2).
        nh = num(f, "nh", PROTOCOL.get(follower[0], NOTHING_KNOWN))
        return struct.pack("!BB", nh, 0) + bytes.fromhex("010400000000") + data

    do_dstopt = do_hopopt

    def do_route6(self, _at, f, follower, data):
        # Type 0 with nothing left to visit.
        nh = num(f, "nh", PROTOCOL.get(follower[0], NOTHING_KNOWN))
        return struct.pack("!BBBBI", nh, 0, 0, 0, 0) + data

    def do_frag6(self, _at, f, follower, data):
        nh = num(f, "nh", PROTOCOL.get(follower[0], NOTHING_KNOWN))
        where = num(f, "off", 0) | num(f, "m", 0)
        return struct.pack("!BBHI", nh, 0, where, num(f, "id", 1)) + data

    def do_udp(self, at, f, _follower, data):
        head = struct.pack("!HHH", num(f, "sport", 40000), num(f, "dport", 9),
                           num(f, "len", 8 + len(data)))
        src, dst = self.addresses(at)
        csum = checksum(pseudo(src, dst, 17, head + b"\0\0" + data)) or 0xFFFF
        return head + struct.pack("!H", num(f, "csum", csum)) + data

    def do_tcp(self, at, f, _follower, data):
        bits = sum(1 << "FSRPAUEC".index(c) for c in f.get("flags", "S"))
        head = struct.pack("!HHIIBBH", num(f, "sport", 40000), num(f, "dport", 9),
                           num(f, "seq", 1), num(f, "ack", 0), 5 << 4, bits, num(f, "win", 8192))
        src, dst = self.addresses(at)
        csum = checksum(pseudo(src, dst, 6, head + bytes(4) + data))
        return head + struct.pack("!HH", num(f, "csum", csum), 0) + data

    def do_icmp(self, _at, f, _follower, data):
        head = struct.pack("!BB", num(f, "type", 8), num(f, "code", 0))
        rest = struct.pack("!HH", num(f, "id", 1), num(f, "seq", 1)) + data
        return head + struct.pack("!H", num(f, "csum", checksum(head + b"\0\0" + rest))) + rest

    def icmp6(self, at, kind, code, rest):
        src, dst = self.addresses(at)
        head = struct.pack("!BB", kind, code)
        csum = checksum(pseudo(src, dst, 58, head + b"\0\0" + rest))
        return head + struct.pack("!H", csum) + rest

    def do_icmp6(self, at, f, _follower, data):
        body = bytes.fromhex(f.get("body", "00010001"))
        return self.icmp6(at, num(f, "type", 128), num(f, "code", 0), body + data)

    def neighbour(self, at, f, data, kind, flags, option):
        rest = struct.pack("!I", num(f, "flags", flags)) + addr(f.get("target", "::"))
        if "lladdr" in f:
            rest += bytes([option, 1]) + mac(f["lladdr"])
        return self.icmp6(at, kind, 0, rest + data)

    def do_ns(self, at, f, _follower, data):
        return self.neighbour(at, f, data, 135, 0, 1)

    def do_na(self, at, f, _follower, data):
        return self.neighbour(at, f, data, 136, 0x60000000, 2)

    def do_vxlan(self, _at, f, _follower, data):
        flags = num(f, "flags", 0x08)
        return struct.pack("!II", flags << 24 | num(f, "res1", 0),
                           num(f, "vni", 1) << 8 | num(f, "res2", 0)) + data

    def do_geneve(self, _at, f, follower, data):
        opts = bytes.fromhex(f.get("opts", ""))
        words = num(f, "count", len(opts) // 4)
        kind = num(f, "type", ETHERTYPE.get(follower[0], GRE_ETHERNET))
        flags = (num(f, "ver", 0) << 14 | words << 8 | num(f, "o", 0) << 7 | num(f, "c", 0) << 6 |
                 num(f, "res1", 0))
        return struct.pack("!HHI", flags, kind,
                           num(f, "vni", 1) << 8 | num(f, "res2", 0)) + opts + data

    def do_gre(self, _at, f, follower, data):
        kind = num(f, "type", ETHERTYPE.get(follower[0], GRE_ETHERNET))
        flags, rest, summed = 0, b"", "sum" in f or "csum" in f
        if summed or "routing" in f:
            flags |= (GRE_CSUM if summed else 0) | (GRE_ROUTING if "routing" in f else 0)
            rest += bytes(4)
        for bit, key in (GRE_KEY, "key"), (GRE_SEQUENCE, "seq"):
            if key in f:
                flags |= bit
                rest += struct.pack("!I", num(f, key, 0))
        head = struct.pack("!HH", num(f, "flags", flags), kind)
        if summed:
            csum = num(f, "csum", checksum(head + rest + data))
            rest = struct.pack("!H", csum) + rest[2:]
        return head + rest + data

    def do_text(self, _at, f, _follower, data):
        return f["words"].encode() + data

    def do_hex(self, _at, f, _follower, data):
        return bytes.fromhex(f["words"]) + data

    def do_pad(self, _at, f, _follower, data):
        return b"p" * int(f["words"], 0) + data


def fragments(frame, at, part):
    """An IP packet in two, RFC 791 section 3.2 and RFC 8200 section 4.5."""
    if frame[12:14] == b"\x08\x00":
        head, body = frame[14:34], frame[34:]

        def piece(data, more, offset):
            new = head[:2] + struct.pack("!HHHBBH", 20 + len(data), 7, more << 13 | offset >> 3,
                                         head[8], head[9], 0) + head[12:]
            return new[:10] + struct.pack("!H", checksum(new)) + new[12:] + data
    else:
        head, body = frame[14:54], frame[54:]

        def piece(data, more, offset):
            return (head[:4] + struct.pack("!HB", 8 + len(data), 44) + head[7:]
                    + struct.pack("!BBHI", head[6], 0, offset | more, 7) + data)
    both = [frame[:14] + piece(body[:at], 1, 0), frame[:14] + piece(body[at:], 0, at)]
    return both if not part else [both[part - 1]]


def sizes(fields):
    first, _, last = fields["words"].partition("-")
    return range(int(first), int(last or first) + 1)


def shorten(layers, fields):
    """The layers of the frames that have less and less in their tunnel."""
    behind = [name in ("vxlan", "gre", "geneve") for name, _ in layers].index(True) + 1
    inner = Build(layers[behind:]).frame()
    return [layers[:behind] + [("hex", {"words": inner[:size].hex()})] for size in sizes(fields)]


def shape(frame, name, fields):
    """The frames that one of the last words makes of a frame."""
    if name == "trail":
        return [frame + bytes(int(fields["words"], 0))]
    if name == "cut":
        return [frame[:size] for size in sizes(fields)]
    return fragments(frame, num(fields, "at", 8), num(fields, "part", 0))


def build(words):
    """The octets of the frames that these words describe, one of them in most cases."""
    layers, shapes = [], []
    for part in " ".join(words).split(" / "):
        name, *rest = part.split()
        fields = dict(word.split("=", 1) for word in rest if "=" in word)
        fields["words"] = "".join(word for word in rest if "=" not in word)
        if name in ("trail", "cut", "within", "fragment"):
            shapes.append((name, fields))
        elif hasattr(Build, "do_" + name):
            layers.append((name, fields))
        else:
            raise ValueError(f'"{name}": no such layer')
    todo = [layers]
    if shapes and shapes[0][0] == "within":
        todo = shorten(layers, shapes.pop(0)[1])
    frames = [Build(layers).frame() for layers in todo]
    for name, fields in shapes:
        frames = [new for frame in frames for new in shape(frame, name, fields)]
    return frames


class Dissect:
    """Words from octets: fills `out` with PREFIX.layer.field -> text."""

    def __init__(self, data, vxlan_port=4789):
        self.vxlan_port = vxlan_port
        self.out = {"len": str(len(data))}
        self.eth("", data)

    def put(self, prefix, **fields):
        for key, value in fields.items():
            self.out[prefix + key.replace("_", ".", 1)] = str(value)

    def eth(self, prefix, data):
        if len(data) < 14:
            self.put(prefix, short=len(data))
            return
        self.put(prefix, eth_dst=data[:6].hex(":"), eth_src=data[6:12].hex(":"))
        kind, at = struct.unpack("!H", data[12:14])[0], 14
        while kind in (0x8100, 0x88A8) and len(data) >= at + 4:
            tci, inner = struct.unpack("!HH", data[at:at + 4])
            self.put(prefix, vlan_tpid=hex(kind), vlan_vid=tci & 0xFFF)
            kind, at = inner, at + 4
        self.put(prefix, eth_type=f"{kind:#06x}")
        try:
            {0x0800: self.ip, 0x86DD: self.ip6, 0x0806: self.arp}.get(kind, self.rest)(
                prefix, data[at:])
        except (struct.error, IndexError):
            self.put(prefix, broken=1)

    def rest(self, prefix, data):
        self.put(prefix, data=data.hex())
        if data and all(33 <= octet < 127 for octet in data):
            self.put(prefix, text=data.decode())

    def arp(self, prefix, data):
        self.put(prefix, arp_op=struct.unpack("!H", data[6:8])[0], arp_sha=data[8:14].hex(":"),
                 arp_spa=socket.inet_ntoa(data[14:18]), arp_tha=data[18:24].hex(":"),
                 arp_tpa=socket.inet_ntoa(data[24:28]))

    def ip(self, prefix, data):
        size = (data[0] & 15) * 4
        _, tos, length, ident, frag, ttl, proto = struct.unpack("!BBHHHBB", data[:10])
        self.put(prefix, ip_src=socket.inet_ntoa(data[12:16]), ip_dst=socket.inet_ntoa(data[16:20]),
                 ip_tos=f"{tos:#04x}", ip_len=length, ip_id=ident, ip_df=frag >> 14 & 1,
                 ip_mf=frag >> 13 & 1, ip_frag=(frag & 0x1FFF) * 8, ip_ttl=ttl, ip_proto=proto,
                 ip_opts=data[20:size].hex(),
                 ip_sum="ok" if checksum(data[:size]) == 0 else "bad")
        body = data[size:length]
        if frag & 0x1FFF or frag >> 13 & 1:
            self.rest(prefix, body)
        else:
            self.transport(prefix, proto, data[12:16], data[16:20], body)

    def ip6(self, prefix, data):
        first, length, nh, hlim = struct.unpack("!IHBB", data[:8])
        src, dst = data[8:24], data[24:40]
        self.put(prefix, ip6_src=ipaddress.ip_address(src), ip6_dst=ipaddress.ip_address(dst),
                 ip6_tc=f"{first >> 20 & 255:#04x}", ip6_flow=f"{first & 0xFFFFF:#07x}",
                 ip6_len=length, ip6_hlim=hlim)
        body, chain = data[40:40 + length], []
        while nh in (0, 43, 44, 60) and len(body) >= 8:
            chain.append(str(nh))
            if nh == 44 and struct.unpack("!H", body[2:4])[0] & 0xFFF9:
                self.put(prefix, ip6_ext=",".join(chain))
                self.rest(prefix, body[8:])
                return
            size = 8 if nh == 44 else 8 + body[1] * 8
            nh, body = body[0], body[size:]
        self.put(prefix, ip6_ext=",".join(chain))
        self.transport(prefix, nh, src, dst, body)

    def transport(self, prefix, proto, src, dst, body):
        whole = "ok" if checksum(pseudo(src, dst, proto, body)) == 0 else "bad"
        if proto == 17:
            sport, dport, length, csum = struct.unpack("!HHHH", body[:8])
            self.put(prefix, udp_sport=sport, udp_dport=dport, udp_len=length,
                     udp_csum=f"{csum:#06x}", udp_sum="none" if csum == 0 else whole)
            if dport == self.vxlan_port and not prefix:
                self.vxlan(body[8:])
            elif dport == GENEVE_PORT and not prefix:
                self.geneve(body[8:])
            else:
                self.rest(prefix, body[8:])
        elif proto == 6:
            sport, dport = struct.unpack("!HH", body[:4])
            self.put(prefix, tcp_sport=sport, tcp_dport=dport, tcp_sum=whole)
            self.put(prefix, tcp_len=len(body) - (body[12] >> 4) * 4)
        elif proto == 1:
            whole = "ok" if checksum(body) == 0 else "bad"
            self.put(prefix, icmp_type=body[0], icmp_code=body[1], icmp_sum=whole,
                     icmp_mtu=struct.unpack("!H", body[6:8])[0])
            self.rest(prefix, body[8:])
        elif proto == 58:
            self.put(prefix, icmp6_type=body[0], icmp6_code=body[1], icmp6_sum=whole,
                     icmp6_mtu=struct.unpack("!I", body[4:8])[0])
            self.rest(prefix, body[8:])
        elif proto == 47 and not prefix:
            self.gre(body)
        else:
            self.put(prefix, proto=proto)
            self.rest(prefix, body)

    def gre(self, data):
        flags, kind = struct.unpack("!HH", data[:4])
        at = 4
        self.put("", gre_flags=f"{flags:#06x}", gre_type=f"{kind:#06x}")
        if flags & (GRE_CSUM | GRE_ROUTING):
            at += 4
        if flags & GRE_CSUM:
            self.put("", gre_sum="ok" if checksum(data) == 0 else "bad")
        for bit, key in (GRE_KEY, "gre.key"), (GRE_SEQUENCE, "gre.seq"):
            if flags & bit:
                self.out[key] = str(struct.unpack("!I", data[at:at + 4])[0])
                at += 4
        if kind == GRE_ETHERNET:
            self.eth("in.", data[at:])
        else:
            self.rest("", data[at:])

    def geneve(self, data):
        flags, kind, last = struct.unpack("!HHI", data[:8])
        end = 8 + (flags >> 8 & 63) * 4
        self.put("", geneve_ver=flags >> 14, geneve_o=flags >> 7 & 1, geneve_c=flags >> 6 & 1,
                 geneve_res1=flags & 63, geneve_type=f"{kind:#06x}", geneve_vni=last >> 8,
                 geneve_res2=last & 255, geneve_opts=data[8:end].hex())
        if kind == GRE_ETHERNET:
            self.eth("in.", data[end:])
        else:
            self.rest("", data[end:])

    def vxlan(self, data):
        first, second = struct.unpack("!II", data[:8])
        self.put("", vxlan_flags=f"{first >> 24:#04x}", vxlan_res1=first & 0xFFFFFF,
                 vxlan_vni=second >> 8, vxlan_res2=second & 255)
        self.eth("in.", data[8:])


def dissect(data, vxlan_port=4789):
    return Dissect(data, vxlan_port).out


def read_pcap(path):
    """(snapped length, octets) of each whole frame in a capture; a torn last one is left out."""
    with open(path, "rb") as file:
        data = file.read()
    if len(data) < 24:
        return
    order = "<" if data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") else ">"
    at = 24
    while at + 16 <= len(data):
        kept, length = struct.unpack(order + "II", data[at + 8:at + 16])
        if at + 16 + kept > len(data):
            return
        yield length, data[at + 16:at + 16 + kept]
        at += 16 + kept
