# SPDX-License-Identifier: GPL-2.0-only
"""Network namespaces by name, as `ip netns` keeps them. Python 3.11 lacks os.setns()."""

import contextlib
import ctypes
import os

CLONE_NEWNET = 0x40000000
LIBC = ctypes.CDLL(None, use_errno=True)


def setns(fd):
    if LIBC.setns(fd, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def enter(name):
    """Move this thread to a namespace; a socket stays where it was made."""
    path = name if "/" in name else f"/run/netns/{name}"
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        setns(fd)
    finally:
        os.close(fd)


@contextlib.contextmanager
def inside(name):
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if name:
            enter(name)
        yield
    finally:
        setns(home)
        os.close(home)
