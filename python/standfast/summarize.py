"""Runs the host's summarizer over the requests of a plan: one after the other, or at once in an event loop.

An exception of the summarizer is an answer of its own: under "fallback" the span is summarized extractively, under
"raise" the compaction is refused. What is not an `Exception`, cancellation above all, passes through untouched.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any, Literal, TypedDict, cast

from standfast import _core
from standfast.errors import StandfastError
from standfast.records import Request


class _Required(TypedDict):
    text: str


class Answer(_Required, total=False):
    """A summary and how its generation ended; "length" means that it was cut off."""

    finish_reason: str | None


Summary = str | Answer
Summarizer = Callable[[Request], Summary]
AsyncSummarizer = Callable[[Request], Summary | Awaitable[Summary]]
OnError = Literal["fallback", "raise"]


def checked(summarizer: object, on_error: object) -> None:
    """Refuses arguments that would only fail after the first model call."""
    if summarizer is not None and not callable(summarizer):
        raise _core.error_of("invalid_argument", f"`summarizer` is of type `{type(summarizer).__name__}`, not callable")
    if on_error not in ("fallback", "raise"):
        raise _core.error_of("invalid_argument", '`on_error` is "fallback" or "raise"')


def run(
    requests: Iterable[Request], summarizer: Summarizer, on_error: OnError, keep: Callable[[Request, Summary], None] | None = None
) -> dict[str, Summary | None]:
    """The answers in order, each given to `keep` as soon as it is there. The first refusal ends the run."""
    answers: dict[str, Summary | None] = {}
    for request in requests:
        answer = answers[request.id] = _settled(request, _attempt(summarizer, request), on_error)
        if keep is not None and answer is not None:
            keep(request, answer)
    return answers


async def arun(
    requests: Iterable[Request],
    summarizer: AsyncSummarizer,
    on_error: OnError,
    max_concurrency: int,
    keep: Callable[[Request, Summary], Awaitable[None]] | None = None,
) -> dict[str, Summary | None]:
    """The answers, at most `max_concurrency` at a time. If one ends the run, the others are cancelled and awaited."""
    if isinstance(max_concurrency, bool) or not isinstance(max_concurrency, int) or max_concurrency < 1:
        raise _core.error_of("invalid_argument", "`max_concurrency` is an int of at least 1")
    import asyncio

    gate = asyncio.Semaphore(max_concurrency)
    ended = False

    async def one(request: Request) -> tuple[str, Summary | None]:
        nonlocal ended
        async with gate:
            if ended:  # the first failure also frees the gate: what waits there is not paid for any more
                raise asyncio.CancelledError
            try:
                return await answered(request)
            except BaseException:
                ended = True
                raise

    async def answered(request: Request) -> tuple[str, Summary | None]:
        answer = _settled(request, await _aattempt(summarizer, request), on_error)
        if keep is not None and answer is not None:
            await keep(request, answer)
        return request.id, answer

    tasks = [asyncio.create_task(one(request)) for request in requests]
    try:
        return dict(await asyncio.gather(*tasks))
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


class _Failed:
    def __init__(self, error: Exception) -> None:
        self.error = error


def _attempt(summarizer: Callable[[Request], Any], request: Request) -> Any:
    try:
        return summarizer(request)
    except Exception as error:
        return _Failed(error)


async def _aattempt(summarizer: Callable[[Request], Any], request: Request) -> Any:
    if _is_async(summarizer):
        answer = _attempt(summarizer, request)
    else:
        import asyncio

        answer = await asyncio.to_thread(_attempt, summarizer, request)
    try:
        return await answer if inspect.isawaitable(answer) else answer
    except Exception as error:
        return _Failed(error)


def _is_async(summarizer: Callable[..., Any]) -> bool:
    return inspect.iscoroutinefunction(summarizer) or inspect.iscoroutinefunction(getattr(summarizer, "__call__", None))  # noqa: B004


def _settled(request: Request, answer: Any, on_error: OnError) -> Summary | None:
    if isinstance(answer, _Failed):
        if on_error == "fallback":
            return None
        error = _refusal("summarizer_failed", f"the summarizer raised `{type(answer.error).__name__}`", request)
        raise error from answer.error
    if isinstance(answer, str | Mapping):
        return cast("Summary", answer)
    if inspect.iscoroutine(answer):
        answer.close()
        raise _refusal("summary_not_text", "the summarizer is asynchronous; await acompact()", request)
    raise _refusal("summary_not_text", f"the summarizer returned `{type(answer).__name__}`", request)


def _refusal(code: str, message: str, request: Request) -> StandfastError:
    error = _core.error_of(code, f"{message} for request `{request.id}`")
    error.details["request"] = request.id
    return error
