"""Code of a kernel: from the cache, or compiled anew and logged."""

from contextlib import suppress

from .cached_kernels import has_kernels, kernel_line, reason_to_compile
from .code_cache import cached_code
from .compiler_process import compiler_process
from .kernel_compiler import KernelRequest, compile_apart


def kernel_code(request: KernelRequest) -> bytes | None:
    """Return the code of a kernel or of a part of one, from the cache or compiled anew; None if that fails."""
    return cached_code(f"{request.name}-{request.key()}", lambda: _compile(request))


def _compile(request: KernelRequest) -> bytes | None:
    """Compile a kernel, which takes seconds, and log it; the record has the `reason`."""
    import logging

    reason = reason_to_compile(request)
    logging.getLogger("fajin").info("compiling %s: %s", kernel_line(request), reason, extra={"reason": reason})
    return compile_apart(request)


def prepare_to_compile() -> None:
    """Start the process that compiles if no kernel of these sources is cached; who compiles later waits less."""
    if not has_kernels():
        with suppress(OSError):  # who compiles logs it
            compiler_process()
