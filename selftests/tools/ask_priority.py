#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""The priority of an agent's socket, TSW_ASK_PRIORITY(): SipHash-1-3 of the switch's secrets.

    ask_priority.py SECRET PASS      both as 16 hexadecimal digits in the order of memory
"""

import struct
import sys

MASK = (1 << 64) - 1


def rotate(x, bits):
    return (x << bits | x >> 64 - bits) & MASK


def sip_round(a, b, c, d):
    a, c = (a + b) & MASK, (c + d) & MASK
    b, d, a = rotate(b, 13) ^ a, rotate(d, 16) ^ c, rotate(a, 32)
    a, c = (a + d) & MASK, (c + b) & MASK
    return a, rotate(b, 17) ^ c, rotate(c, 32), rotate(d, 21) ^ a


def siphash13(key0, key1, words):
    state = (key0 ^ 0x736F6D6570736575, key1 ^ 0x646F72616E646F6D,
             key0 ^ 0x6C7967656E657261, key1 ^ 0x7465646279746573)
    for word in [*words, len(words) * 8 << 56]:
        a, b, c, d = sip_round(*state[:3], state[3] ^ word)
        state = (a ^ word, b, c, d)
    state = (state[0], state[1], state[2] ^ 0xFF, state[3])
    for _ in range(3):
        state = sip_round(*state)
    return state[0] ^ state[1] ^ state[2] ^ state[3]


def main():
    secret, proof = (struct.unpack("=Q", bytes.fromhex(text))[0] for text in sys.argv[1:3])
    print(siphash13(secret, proof, [MASK] * 6) & 0xFFFFFFFF | 1 << 31)


if __name__ == "__main__":
    main()
