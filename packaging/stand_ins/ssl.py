"""Stands in the bundle for ssl (1 MB with its library), imported by libraries unasked: no connection is ever opened."""


class SSLError(OSError):
    """Never raised; named by asyncio on import."""


SSLWantReadError = SSLSyscallError = SSLError
