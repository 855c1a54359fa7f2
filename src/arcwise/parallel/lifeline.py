"""A connection that tells workers of any executor that nobody waits for them any more: it is cut, and that is all."""

import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from select import select
from threading import Lock

__all__ = ["Address", "Lifeline", "is_cut"]

_SECONDS_TO_CONNECT = 5.0


@dataclass(frozen=True)
class Address:
    """Where workers reach the process that waits for them."""

    host: str
    port: int


class Lifeline:
    """The end of the process that waits. Nothing is ever sent; a connection that ends says that all is called off.

    That works for any executor whose workers can connect to this machine, also when this process is killed. Others
    end with their time limit, or when they are done.

    Parameters
    ----------
    is_local
        Whether all workers are on this machine, so that no other one can connect.
    """

    def __init__(self, *, is_local: bool) -> None:
        self._socket = socket.create_server(("127.0.0.1" if is_local else "", 0), backlog=128)
        self._socket.setblocking(False)
        self._held: list[socket.socket] = []
        self.address = Address(socket.gethostname(), self._socket.getsockname()[1])

    def hold(self) -> None:
        """Take the connections of workers that have come since the last call."""
        self._held += self._waiting()

    def _waiting(self) -> Iterator[socket.socket]:
        with suppress(OSError):  # where none is waiting
            while True:
                yield self._socket.accept()[0]

    def cut(self) -> None:
        """Tell all workers that what they do is called off."""
        self.hold()
        for connection in (*self._held, self._socket):
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # processes that were forked since have a copy of it
            connection.close()
        self._held.clear()


# The ends of a worker's process, by the address of the other; None where that cannot be reached.
_ends: dict[Address, socket.socket | None] = {}
_cut: set[Address] = set()
_lock = Lock()


def is_cut(address: Address) -> bool:
    """Return whether the process at the other end has called off what it has asked for; called by workers."""
    with _lock:
        if address not in _ends and address not in _cut:
            _forget_old()
            _ends[address] = _connected(address)
        end = _ends.get(address)
        if end is not None and select([end], [], [], 0)[0]:
            _close(address, end)
        return address in _cut


def _connected(address: Address) -> socket.socket | None:
    host = "127.0.0.1" if address.host == socket.gethostname() else address.host
    try:
        return socket.create_connection((host, address.port), _SECONDS_TO_CONNECT)
    except ConnectionRefusedError:  # the machine is there, and nobody waits on it
        _cut.add(address)
        return None
    except OSError:
        return None


def _close(address: Address, end: socket.socket) -> None:
    end.close()
    _ends[address] = None
    _cut.add(address)


def _forget_old() -> None:
    for address, end in list(_ends.items()):
        if end is not None and select([end], [], [], 0)[0]:
            end.close()
            del _ends[address]
    _cut.clear()
