"""A store in a file of SQLite: the standard library, write-ahead log, one transaction a write.

Several processes of one machine may use one file. A process that is killed between two writes leaves the first whole and
nothing of the second.
"""

from __future__ import annotations

import asyncio
import os
import sqlite3
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from standfast import _core

if TYPE_CHECKING:
    from typing_extensions import Self

_T = TypeVar("_T")
_AT_ONCE = 500
"""Keys in one query."""
_PAUSE = 0.005
"""Seconds between two tries."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS standfast_texts (digest TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID"


_QUEUE = 30.0
"""Seconds that a thread waits for the others of its process, each of which waits for the file."""
_STORES: weakref.WeakSet[SqliteStore] = weakref.WeakSet()


class SqliteStore:
    """Texts in a file. Safe to use from several threads and processes, forked ones too. A file that another process keeps is waited
    for, and a call then fails: `timeout` seconds for the file, and half a minute for the other threads of this process."""

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = 5.0) -> None:
        self._path = os.fspath(path)
        if self._path == ":memory:" or not self._path:
            raise _core.error_of("invalid_argument", "give a file; in memory, MemoryStore does")
        self._timeout = timeout
        self._lock = threading.RLock()
        _STORES.add(self)
        self._open: tuple[int, sqlite3.Connection] | None = None
        self._read(_SCHEMA)

    def get_many(self, digests: Sequence[str], /) -> dict[str, str]:
        """The texts of those digests that are known."""
        found: dict[str, str] = {}
        for start in range(0, len(digests), _AT_ONCE):
            some = list(digests[start : start + _AT_ONCE])
            marks = ",".join("?" * len(some))
            found.update(self._read(f"SELECT digest, text FROM standfast_texts WHERE digest IN ({marks})", some))
        return found

    def put_many(self, texts: Mapping[str, str], /) -> None:
        """Keeps texts by digest, all of them or none. Putting one again changes nothing."""
        if texts:
            self._write(lambda connection: connection.executemany("INSERT OR IGNORE INTO standfast_texts VALUES (?, ?)", texts.items()))

    def put_new(self, key: str, text: str, /) -> str:
        """Keeps a text unless there is one. Returns the one that stands."""

        def write(connection: sqlite3.Connection) -> str:
            connection.execute("INSERT OR IGNORE INTO standfast_texts VALUES (?, ?)", (key, text))
            (standing,) = connection.execute("SELECT text FROM standfast_texts WHERE digest = ?", (key,)).fetchone()
            return str(standing)

        return self._write(write)

    async def aget_many(self, digests: Sequence[str], /) -> dict[str, str]:
        """Like `get_many`, in a thread."""
        return await asyncio.to_thread(self.get_many, digests)

    async def aput_many(self, texts: Mapping[str, str], /) -> None:
        """Like `put_many`, in a thread."""
        await asyncio.to_thread(self.put_many, texts)

    async def aput_new(self, key: str, text: str, /) -> str:
        """Like `put_new`, in a thread."""
        return await asyncio.to_thread(self.put_new, key, text)

    def close(self) -> None:
        """Closes the file. The next call opens it again."""
        with self._alone():
            if self._open is not None and self._open[0] == os.getpid():
                self._open[1].close()
            self._open = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_open", None) is not None:
            self.close()

    def __len__(self) -> int:
        ((count,),) = self._read("SELECT count(*) FROM standfast_texts")
        return int(count)

    def __repr__(self) -> str:
        return f"SqliteStore({os.path.basename(self._path)!r})"

    def _read(self, query: str, values: Sequence[str] = ()) -> list[Any]:
        with self._alone():
            return self._connection().execute(query, values).fetchall()

    def _write(self, write: Callable[[sqlite3.Connection], _T]) -> _T:
        with self._alone():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                result = write(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
        return result

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=max(self._timeout, _QUEUE)):
            raise TimeoutError("the threads before this one are still waiting for the store's file")
        try:
            yield
        finally:
            self._lock.release()

    def _connection(self) -> sqlite3.Connection:
        if self._open is None or self._open[0] != os.getpid():  # a connection must not be carried over a fork
            # no transactions but our own
            connection = sqlite3.connect(self._path, timeout=self._timeout, isolation_level=None, check_same_thread=False)
            try:
                _write_ahead(connection, time.monotonic() + self._timeout)
                connection.execute("PRAGMA synchronous = FULL")
            except BaseException:
                connection.close()
                raise
            self._open = (os.getpid(), connection)
        return self._open[1]


def _write_ahead(connection: sqlite3.Connection, until: float) -> None:
    """Turns to the write-ahead log. SQLite waits for no other who does so to a new file, whatever the timeout."""
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() >= until:
                raise
            time.sleep(_PAUSE)
        else:
            return


def _forked() -> None:
    """In a new process nobody is left who would open what another thread had locked."""
    for store in _STORES:
        store._lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)
