#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""What the TAB key makes of a line in an interactive bash.

tab.py COMPLETION LINE...   COMPLETION is read first; each LINE is typed, and TAB. One line of
output for each: what is on the command line then. With --run it is run as well, and what that
prints follows.
"""
import os
import pty
import select
import sys
import tempfile
import time


def wait_for(fd, condition, seconds=20):
    """Reads what the terminal shows until the condition holds."""
    end = time.monotonic() + seconds * float(os.environ.get("TSW_SLOW", "1"))
    while not condition():
        if time.monotonic() > end:
            sys.exit("tab.py: bash does not answer")
        if select.select([fd], [], [], 0.05)[0]:
            os.read(fd, 65536)


def main():
    words = sys.argv[1:]
    run = words[0] == "--run"
    completion, *lines = words[run:]
    with tempfile.TemporaryDirectory() as work:
        out = os.path.join(work, "out")
        pid, fd = pty.fork()
        if pid == 0:
            os.environ.update(TERM="dumb", OUT=out, PS1="$ ", HISTFILE="")
            os.execlp("bash", "bash", "--norc", "--noprofile", "-i")

        def has(text):
            return os.path.exists(out) and text in open(out).read()

        setup = (f'. {completion}; bind "set bell-style none"; '
                 'bind -x \'"\\C-xp": printf "%s\\nend\\n" "$READLINE_LINE" >"$OUT"\'; '
                 'echo ready >"$OUT"\n')
        os.write(fd, setup.encode())
        wait_for(fd, lambda: has("ready"))
        for line in lines:
            os.write(fd, line.encode() + b"\t\x18p")
            wait_for(fd, lambda: has("\nend\n"))
            print(open(out).read()[:-5])
            os.remove(out)
            if run:
                os.write(fd, b' >"$OUT" 2>&1; echo end >>"$OUT"\n')
                wait_for(fd, lambda: has("end\n"))
                print(open(out).read()[:-5])
                os.remove(out)
            else:
                os.write(fd, b"\x15")  # C-u: away with the line
        os.close(fd)
        os.waitpid(pid, 0)


main()
