#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Kills a command on the way into its Nth system call that can change kernel state.

    killat.py N COMMAND [WORD]...

Exit status 0: it was killed there; 3: it ended before.
"""

import ctypes
import os
import platform
import signal
import struct
import sys

TRACEME, CONT_SYSCALL, SETOPTIONS, GET_SYSCALL_INFO = 0, 24, 0x4200, 0x420e
TRACESYSGOOD, EXITKILL = 1, 1 << 20
SYSCALL_STOP = signal.SIGTRAP | 0x80
ENTRY = 1
# bpf, sendto (netlink), sendmsg (nftables), write, and mkdir, rmdir, unlink, rename and their *at
CALLS = {"x86_64": {321, 44, 46, 1, 83, 84, 87, 82, 258, 263, 264, 316},
         "aarch64": {280, 206, 211, 64, 34, 35, 38, 276}}[platform.machine()]

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid, addr=0, data=0):
    result = libc.ptrace(request, pid, addr, data)
    if result < 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return result


def enters(pid):
    """The number of the system call that it enters; None where it leaves one."""
    info = ctypes.create_string_buffer(88)
    ptrace(GET_SYSCALL_INFO, pid, len(info), ctypes.addressof(info))
    return struct.unpack_from("=Q", info, 24)[0] if info.raw[0] == ENTRY else None


def main():
    wanted, command = int(sys.argv[1]), sys.argv[2:]
    pid = os.fork()
    if not pid:
        ptrace(TRACEME, 0)
        os.execvp(command[0], command)
    os.waitpid(pid, 0)
    ptrace(SETOPTIONS, pid, 0, TRACESYSGOOD | EXITKILL)
    seen = 0
    while True:
        ptrace(CONT_SYSCALL, pid)
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            return 3
        if os.WSTOPSIG(status) == SYSCALL_STOP and enters(pid) in CALLS:
            seen += 1
            if seen == wanted:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
                return 0


sys.exit(main())
