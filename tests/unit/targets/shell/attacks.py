"""What a command tries that must not work, each as a small program; and what its host must see."""

from __future__ import annotations

WRITE = """
import sys
try:
    open(sys.argv[1], "w").write("escaped")
    print("wrote")
except OSError as error:
    print("refused", error.strerror)
"""
READ = """
import sys
try:
    print("read", open(sys.argv[1]).read())
except OSError as error:
    print("refused", error.strerror)
"""
CONNECT = """
import socket, sys
kind, address = sys.argv[1:]
if kind == "network":
    made, address = socket.socket(), ("127.0.0.1", int(address))
else:
    made = socket.socket(socket.AF_UNIX)
    address = "\\0" + address if kind == "nameless" else address
try:
    made.connect(address)
    print("reached")
except OSError as error:
    print("refused", error.strerror)
"""
DAEMON = """
import os, sys
ours, theirs = os.pipe()
if os.fork():
    os.close(theirs)
    os.read(ours, 1)
    sys.exit()
os.setsid()
if os.fork():
    os._exit(0)
nothing = os.open("/dev/null", os.O_RDWR)
for number in (0, 1, 2):
    os.dup2(nothing, number)
os.execv(sys.executable, [sys.executable, "-I", "-S", "-c", sys.argv[2], sys.argv[1]])
"""
STAY = "import select; select.select([], [], [], 60)"
EVER = "import select; select.select([], [], [])"
WRITE_ON = """
number = 0
while True:
    number += 1
    with open("log", "w") as file:
        file.write(str(number))
"""
FORK = """
import os, select
made = 0
try:
    while made < 3000:
        if not os.fork():
            select.select([], [], [], 60)
        made += 1
except OSError:
    pass
print(made)
"""
MEMORY = """
try:
    bytearray(2 << 30)
    print("had")
except MemoryError:
    print("refused")
"""
SIGNAL = """
import os, signal
for process in range(1, 5000):
    try:
        os.kill(process, 0)
        print(process)
    except OSError:
        pass
"""
DESCRIPTORS = """
import os
print(sorted(os.listdir("/proc/self/fd")))
for name in os.listdir("/proc/self/fd"):
    try:
        print(os.readlink("/proc/self/fd/" + name))
    except OSError:
        pass
"""
POWERS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
tried = {
    "unmount the home folder": lambda: libc.umount2(os.environ["HOME"].encode(), 2),
    "unmount what hides": lambda: libc.umount2(b"/tmp", 2),
    "mount": lambda: libc.mount(b"none", b"/mnt", b"tmpfs", 0, None),
    "write to the system again": lambda: libc.mount(b"none", b"/", None, 32 | 4096, None),
    "a user namespace": lambda: libc.unshare(0x10000000),
    "a mount namespace": lambda: libc.unshare(0x20000),
    "the first process's": lambda: os.open("/proc/1/root/etc", os.O_RDONLY) * 0,
    "another root": lambda: libc.chroot(b"/tmp"),
    "a device": lambda: os.mknod("device", 0o20666, os.makedev(1, 5)) or 0,
}
for name, act in tried.items():
    try:
        print(name, "yes" if act() == 0 else "no")
    except OSError:
        print(name, "no")
"""
SYSTEM = """
import glob
for path in glob.glob("/proc/sys/kernel/*") + ["/proc/sysrq-trigger", "/proc/sys/vm/drop_caches"]:
    try:
        open(path, "r+").close()
        print(path)
    except OSError:
        pass
"""
LOOPBACK = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname()).close()
    print("own")
"""
FAMILIES = """
import ctypes, platform, socket
made = []
for family in range(1, 64):
    try:
        socket.socket(family, socket.SOCK_DGRAM).close()
        made.append(family)
    except OSError as error:
        if error.errno == 93:  # the family is there and has no such type
            made.append(family)
print(made)
libc = ctypes.CDLL(None, use_errno=True)
print(libc.syscall(425, 1, ctypes.create_string_buffer(240)))
"""
