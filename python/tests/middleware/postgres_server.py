"""A real PostgreSQL for the tests, on a socket of its own."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def binaries() -> Path | None:
    """Where the newest server's programs are: Debian keeps them off the path."""
    homes = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3].split(".")[0]))
    on_path = shutil.which("initdb")
    return homes[-1].parent if homes else Path(on_path).parent if on_path else None


@contextmanager
def server() -> Iterator[str]:
    """A fresh server; gives the connection string. The server does not run as root, so neither do its programs."""
    home = binaries()
    assert home is not None
    user = next((name for name in ("postgres", "nobody") if _exists(name)), None) if os.getuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="sfpg", dir="/tmp"))  # a socket's path is short
    try:
        if user is not None:
            shutil.chown(folder, user)
        data, log = folder / "data", folder / "log"
        run = {"user": user, "cwd": folder, "check": True, "capture_output": True, "timeout": 120}
        subprocess.run([home / "initdb", "-D", data, "-U", "test", "-A", "trust", "--no-sync", "-E", "UTF8"], **run)  # type: ignore[call-overload]
        options = f"-k {folder} -c listen_addresses='' -c fsync=off -c max_connections=200"
        run["capture_output"] = False  # the server keeps what it is given open
        run |= {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        subprocess.run([home / "pg_ctl", "-D", data, "-l", log, "-w", "-o", options, "start"], **run)  # type: ignore[call-overload]
        try:
            yield f"postgresql://test@/postgres?host={folder}"
        finally:
            subprocess.run([home / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **run)  # type: ignore[call-overload]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True
