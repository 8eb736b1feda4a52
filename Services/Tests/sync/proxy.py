"""A TCP proxy that stands for a bad network: it delays, cuts in the middle of a body, refuses, and is silent."""

import random
import selectors
import socket
import threading
import time


class Proxy:
    """Passes connections to a port, in a thread. `cut` ends what it has, and takes nothing until `heal`."""

    def __init__(self, port, seed=1, losses=0.0, delay=0.0):
        self.target = port
        #: The share of connections that are cut after a random number of bytes, and the delay of each piece in seconds.
        self.losses, self.delay = losses, delay
        self.random = random.Random(seed)
        self.is_cut = False
        self._ends = {}
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.setblocking(False)
        self.port = self._listener.getsockname()[1]
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._stopped = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def cut(self):
        with self._lock:
            self.is_cut = True
            for end in list(self._ends):
                self._close(end)

    def heal(self, losses=0.0, delay=0.0):
        with self._lock:
            (self.is_cut, self.losses, self.delay) = (False, losses, delay)

    def close(self):
        self._stopped = True
        self._thread.join(5)
        self._listener.close()
        self.cut()

    def _run(self):
        while not self._stopped:
            for key, _ in self._selector.select(0.05):
                with self._lock:
                    if key.fileobj is self._listener:
                        self._accept()
                    else:
                        self._pass(key.fileobj)

    def _accept(self):
        try:
            client, _ = self._listener.accept()
        except OSError:
            return
        if self.is_cut:
            client.close()
            return
        try:
            server = socket.create_connection(("127.0.0.1", self.target), 1)
        except OSError:
            client.close()
            return
        budget = [self.random.randrange(20_000) if self.random.random() < self.losses else None]
        for one, other in ((client, server), (server, client)):
            one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._ends[one] = (other, budget)
            self._selector.register(one, selectors.EVENT_READ)

    def _pass(self, end):
        if end not in self._ends:
            return
        other, budget = self._ends[end]
        try:
            piece = end.recv(65536)
            if self.delay:
                time.sleep(self.random.random() * self.delay)
            if budget[0] is not None:
                piece, budget[0] = piece[:budget[0]], budget[0] - len(piece[:budget[0]])
            if piece:
                other.settimeout(5)
                other.sendall(piece)
        except OSError:
            piece = b""
        if not piece:
            self._close(end)

    def _close(self, end):
        other, _ = self._ends.pop(end, (None, None))
        for one in (end, other):
            if one is None:
                continue
            self._ends.pop(one, None)
            try:
                self._selector.unregister(one)
            except (KeyError, ValueError):
                pass
            one.close()
