#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Kills a command on the way into its Nth system call that can change kernel state.

    killat.py N COMMAND [WORD]...

Where that one only reads, or makes what nobody else can see yet, the next one that does more is
taken instead: all that a kill leaves is the same. Prints which one it was; what the command
prints goes to stderr. Exit status 0: it was killed there; 3: it ended before.
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
BPF, SENDTO, SENDMSG = {"x86_64": (321, 44, 46), "aarch64": (280, 206, 211)}[platform.machine()]
# these, write, and mkdir, rmdir, unlink, rename and their *at
CALLS = {BPF, SENDTO, SENDMSG} | {"x86_64": {1, 83, 84, 87, 82, 258, 263, 264, 316},
                                  "aarch64": {64, 34, 35, 38, 276}}[platform.machine()]
# bpf(): lookups, OBJ_GET, numbers, descriptors, what is known of an object, queries
BPF_READS = {1, 4, 7, 11, 12, 13, 14, 15, 16, 19, 20, 23, 24, 30, 31}
# a map, a program, its types, maps of a program: seen by others when they are pinned or attached
BPF_PRIVATE = {0, 5, 18, 35}
# RTM_GET*; NFT_MSG_GET*; IPCTNL_MSG_CT_GET
NETLINK_READS = ({18, 22, 26, 30, 34, 38, 42, 46, 102} |
                 {10 << 8 | get for get in (1, 4, 7, 10, 13, 16, 19, 23)} | {1 << 8 | 1})

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, pid, addr=0, data=0):
    result = libc.ptrace(request, pid, addr, data)
    if result < 0:
        raise OSError(ctypes.get_errno(), "ptrace")
    return result


def enters(pid):
    """The system call that it enters, its number and arguments; None where it leaves one."""
    info = ctypes.create_string_buffer(88)
    ptrace(GET_SYSCALL_INFO, pid, len(info), ctypes.addressof(info))
    return struct.unpack_from("=7Q", info, 24) if info.raw[0] == ENTRY else None


def memory(pid, address, size):
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as mem:
        mem.seek(address)
        return mem.read(size)


def asks(messages):
    """Do all of these netlink messages only ask?"""
    while messages:
        length, kind = struct.unpack_from("=IH", messages)
        if kind not in NETLINK_READS:
            return False
        messages = messages[(length + 3) & ~3:]
    return True


def changes(pid, call, args):
    """Whether this call can change what others see."""
    if call == BPF:
        return args[0] not in BPF_READS | BPF_PRIVATE
    if call == SENDTO:
        return not asks(memory(pid, args[1], args[2]))
    if call == SENDMSG:
        iov, count = struct.unpack_from("=QQ", memory(pid, args[1], 32), 16)
        return count != 1 or not asks(memory(pid, *struct.unpack("=QQ", memory(pid, iov, 16))))
    return True


def main():
    wanted, command = int(sys.argv[1]), sys.argv[2:]
    pid = os.fork()
    if not pid:
        os.dup2(2, 1)
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
        entered = os.WSTOPSIG(status) == SYSCALL_STOP and enters(pid)
        if not entered or entered[0] not in CALLS:
            continue
        seen += 1
        if seen >= wanted and changes(pid, entered[0], entered[1:]):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            print(seen)
            return 0


sys.exit(main())
