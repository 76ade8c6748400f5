"""A wire between a client and a server that a test cuts, and that may speak TLS."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_ASKS_FOR_TLS = bytes((0, 0, 0, 8, 4, 210, 22, 47))
"""What a PostgreSQL client sends first, if it wants TLS."""


class Proxy:
    """Forwards connections to a port of the loopback.

    Args:
        target: The port.
        tls: Speak TLS to the client with this certificate.
    """

    def __init__(self, target: int, tls: ssl.SSLContext | None = None) -> None:
        self._target = target
        self._tls = tls
        self._flows = threading.Event()
        self._flows.set()
        self._open: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Nothing comes through any more, and nobody is told."""
        self._flows.clear()

    def mend(self) -> None:
        """What comes from now on gets through; connections of before are lost."""
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self._flows.set()

    def end(self) -> None:
        """Close everything."""
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        self.mend()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with suppress(OSError), client:
            self._open.append(client)
            near = self._greeted(client)
            if near is None:
                return
            with near, socket.create_connection(("127.0.0.1", self._target)) as server:
                self._open.append(server)
                back = threading.Thread(target=self._pump, args=(server, near), daemon=True)
                back.start()
                self._pump(near, server)
                back.join()

    def _greeted(self, client: socket.socket) -> socket.socket | None:
        if self._tls is None:
            return client
        if client.recv(8) != _ASKS_FOR_TLS:
            return None
        client.sendall(b"S")
        return self._tls.wrap_socket(client, server_side=True)

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._flows.wait()
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxied(target: int, tls: ssl.SSLContext | None = None) -> Iterator[Proxy]:
    """A wire to the port, until the block ends."""
    one = Proxy(target, tls)
    try:
        yield one
    finally:
        one.end()
