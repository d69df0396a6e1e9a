"""What a provider's failure means, in the errors of pi_notebook.

Every exception that litellm, its clients and their transports raise is translated here and only
here. The kind is read from status and words first and from the exception's class last: litellm's
classes tell neither an exhausted quota from a rate limit nor most full contexts from bad requests.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pi_notebook._nearest import one_of
from pi_notebook.agent.secrets import MASK, without_secrets
from pi_notebook.errors import (
    ContextOverflowError,
    ModelAuthError,
    ModelError,
    ModelImageError,
    ModelNotFoundError,
    ModelRefusedError,
    ModelRequestError,
    ModelUnavailableError,
)
from pi_notebook.models.error_words import error_words
from pi_notebook.models.fault_patterns import AUTH, IMAGE, NO_MODEL, QUOTA, REFUSAL
from pi_notebook.models.overflow import find_overflow
from pi_notebook.models.registry import find_near_names
from pi_notebook.models.retry_after import find_retry_after

MAX_WORDS_CHARS = 300
"""How much of a provider's own words a message quotes."""

ERROR_BY_CLASS_NAME: dict[str, type[ModelError]] = {
    "AuthenticationError": ModelAuthError,
    "CallerCredentialAuthenticationError": ModelAuthError,
    "PermissionDeniedError": ModelAuthError,
    "PaymentRequiredError": ModelAuthError,
    "BudgetExceededError": ModelAuthError,
    "NotFoundError": ModelNotFoundError,
    "LiteLLMUnknownProvider": ModelNotFoundError,
    "ModelNotMappedError": ModelNotFoundError,
    "ContextWindowExceededError": ContextOverflowError,
    "ContentPolicyViolationError": ModelRefusedError,
    "RejectedRequestError": ModelRefusedError,
    "GuardrailRaisedException": ModelRefusedError,
    "GuardrailInterventionNormalStringError": ModelRefusedError,
    "BlockedPiiEntityError": ModelRefusedError,
    "ModifyResponseException": ModelRefusedError,
    "SensitiveDataRouteException": ModelRefusedError,
    "BadRequestError": ModelRequestError,
    "ImageFetchError": ModelRequestError,
    "VectorStoreSearchError": ModelRequestError,
    "MalformedRequestFieldError": ModelRequestError,
    "UnsupportedEndpointError": ModelRequestError,
    "EndpointNotSupportedByModelError": ModelRequestError,
    "UnprocessableEntityError": ModelRequestError,
    "UnsupportedParamsError": ModelRequestError,
    "InvalidRequestError": ModelRequestError,
    "RateLimitError": ModelUnavailableError,
    "CallerCredentialRateLimitError": ModelUnavailableError,
    "Timeout": ModelUnavailableError,
    "TimeoutError": ModelUnavailableError,
    "APITimeoutError": ModelUnavailableError,
    "TimeoutException": ModelUnavailableError,
    "ServiceUnavailableError": ModelUnavailableError,
    "BadGatewayError": ModelUnavailableError,
    "InternalServerError": ModelUnavailableError,
    "MidStreamFallbackError": ModelUnavailableError,
    "MockException": ModelUnavailableError,
    "APIConnectionError": ModelUnavailableError,
    "TransportError": ModelUnavailableError,
    "OSError": ModelUnavailableError,
    "EOFError": ModelUnavailableError,
    "ClientError": ModelUnavailableError,
    "APIResponseValidationError": ModelUnavailableError,
    "JSONSchemaValidationError": ModelUnavailableError,
    "JSONDecodeError": ModelUnavailableError,
    "UnicodeDecodeError": ModelUnavailableError,
    "APIError": ModelUnavailableError,
    "OpenAIError": ModelUnavailableError,
}
"""By the nearest class in an exception's ancestry; used when status and words say nothing."""


def translate(error: BaseException, model: str) -> ModelError:
    """The error of pi_notebook that `error`, met while asking `model`, amounts to."""
    if isinstance(error, ModelError):
        return error
    text = _text_of(error)
    kind = _kind_of(error, text)
    words = _quoted(text)
    if kind is ContextOverflowError:
        found = find_overflow(text)
        return ContextOverflowError(
            f"The conversation does not fit the context window of {model}. "
            f"Shorten it with %agent compact, or choose a model with a larger window.{words}",
            model=model,
            tokens=found.tokens if found else None,
            context_window=found.context_window if found else None,
            has_too_many_bytes=_status_of(error) == 413
            and not (found and (found.tokens or found.context_window)),
        )
    if kind is ModelUnavailableError:
        seconds = find_retry_after(_headers_of(error), text)
        when = f" in {seconds:.0f} s" if seconds else ""
        what = _unavailability(error, text)
        return ModelUnavailableError(
            f"{model} {what}. Try again{when}.{words}",
            model=model,
            retry_after_seconds=seconds,
            is_unreachable=what == _UNREACHABLE,
        )
    advice = _ADVICE[_reason(kind, text)].format(model=model, near=_near(model, kind))
    return kind(advice + words, model=model)


_ADVICE = {
    "quota": "The quota or credit of the account at {model} is used up. "
    "Check the plan and billing at the provider, or choose another model.",
    "auth": "{model} refused the key. Check that it is right and may use this model.",
    "not found": "There is no model {model} at the provider. {near}",
    "refused": "{model} declines to answer this content. Rephrase the prompt, or choose another model.",
    "image": "{model} does not take a picture of the conversation.",
    "request": "{model} does not accept the request. Choose another model, or report this.",
}


def _near(model: str, kind: type[ModelError]) -> str:
    names = find_near_names(model) if kind is ModelNotFoundError else []
    return one_of(names) if names else "Check its name, or choose another model."


def _reason(kind: type[ModelError], text: str) -> str:
    if kind is ModelAuthError:
        return "quota" if QUOTA.search(text) else "auth"
    reasons = {ModelNotFoundError: "not found", ModelRefusedError: "refused", ModelImageError: "image"}
    return reasons.get(kind, "request")


def _kind_of(error: BaseException, text: str) -> type[ModelError]:
    status = _status_of(error)
    by_words = _kind_by_words(text, status)
    if by_words is not None:
        return by_words
    return _kind_by_status(status) or _kind_by_class(error)


def _kind_by_words(text: str, status: int | None) -> type[ModelError] | None:
    """The kinds that providers send under many statuses, told by what they say."""
    if status != 401 and find_overflow(text):
        return ContextOverflowError
    if QUOTA.search(text) and status not in (500, 502, 503, 504):
        return ModelAuthError
    if status == 429:
        return None
    for pattern, kind in _KINDS_BY_WORDS:
        if pattern.search(text) and not (kind is ModelImageError and status in _NEVER_FOR_IMAGES):
            return kind
    return ModelAuthError if status in (None, 400, 403, 500) and AUTH.search(text) else None


_KINDS_BY_WORDS = ((REFUSAL, ModelRefusedError), (IMAGE, ModelImageError), (NO_MODEL, ModelNotFoundError))
_NEVER_FOR_IMAGES = frozenset({401, 402, 403, 408, 413, *range(501, 600)})


def _kind_by_status(status: int | None) -> type[ModelError] | None:
    if status is None:
        return None
    if status in (401, 402, 403):
        return ModelAuthError
    if status == 404:
        return ModelNotFoundError
    if status == 413:
        return ContextOverflowError
    if status in (408, 409, 425, 429) or status >= 500:
        return ModelUnavailableError
    return ModelRequestError if status >= 400 else None


def _kind_by_class(error: BaseException) -> type[ModelError]:
    for cause in _chain(error):
        for ancestor in type(cause).__mro__:
            if ancestor.__name__ in ERROR_BY_CLASS_NAME:
                return ERROR_BY_CLASS_NAME[ancestor.__name__]
    return ModelRequestError


_UNREACHABLE = "cannot be reached, or the connection broke"


def _unavailability(error: BaseException, text: str) -> str:
    status = _status_of(error)
    names = {ancestor.__name__ for cause in _chain(error) for ancestor in type(cause).__mro__}
    if status == 429:
        return "takes no more requests for now"
    if status == 408 or names & {"TimeoutError", "Timeout", "APITimeoutError", "TimeoutException"}:
        return "did not answer in time"
    if status == 529 or "overloaded" in text.lower():
        return "is overloaded"
    if names & {"APIConnectionError", "TransportError", "MidStreamFallbackError", "OSError"}:
        return _UNREACHABLE
    return f"failed with status {status}" if status else "failed"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and those it stands for, outermost first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        inner = getattr(current, "original_exception", None)
        current = inner if isinstance(inner, BaseException) else current.__cause__ or current.__context__


def _status_of(error: BaseException) -> int | None:
    """The HTTP status, as far as the provider sent one: litellm gives a lost connection the status 500."""
    for cause in reversed(list(_chain(error))):
        status = getattr(cause, "status_code", None)
        if isinstance(status, int) and type(cause).__name__ != "APIConnectionError":
            return status
    body = getattr(error, "body", None)
    code = str(body.get("code")) if isinstance(body, dict) else ""
    return int(code) if code.isdecimal() and 400 <= int(code) < 600 else None


def _headers_of(error: BaseException) -> dict[str, str]:
    for cause in _chain(error):
        for source in (
            getattr(getattr(cause, "response", None), "headers", None),
            getattr(cause, "litellm_response_headers", None),
            getattr(cause, "headers", None),
        ):
            if source:
                return {str(key).lower(): str(value) for key, value in dict(source).items()}
    return {}


def _text_of(error: BaseException) -> str:
    """All that the exception and its causes say, each once."""
    said: list[str] = []
    bodies = (getattr(cause, "body", None) for cause in _chain(error))
    words = error_words(next((body for body in bodies if body), None))
    for cause in _chain(error):
        code = getattr(cause, "code", None)
        told = _BARE_STATUS.sub(lambda status: words or status[0], str(cause))
        for text in (told, str(code) if isinstance(code, str) else ""):
            if text and not any(text in earlier for earlier in said):
                said.append(text)
    return " | ".join(said)


_BARE_STATUS = re.compile(r"Error code: \d{3}\b(?! - )")
"""All that the client says where it did not find the provider's words."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]+")
_LITELLM_PREFIX = re.compile(r"(?:litellm\.)?(?:\w+(?:Error|Exception|Timeout)|Timeout): |\w+Exception - ")
_KEY = re.compile(r"\b(?:sk|pk|gsk|xai|AIza|hf|r8|key)[-_]?[A-Za-z0-9_*-]{8,}|(?i:bearer)\s+\S+")


def _quoted(text: str) -> str:
    """The provider's words, short, on one line and without keys, ready to stand at the end."""
    words = " ".join(_LITELLM_PREFIX.sub("", _CONTROL.sub(" ", text.partition(" | ")[0])).split())
    words = words.partition(" Original exception:")[0]
    if not words or "<html" in words.lower() or "<!doctype" in words.lower():
        return ""
    return f" (It said: {_shortened(without_keys(words))})"


def _shortened(words: str) -> str:
    return words if len(words) <= MAX_WORDS_CHARS else words[: MAX_WORDS_CHARS - 1] + "…"


def without_keys(text: str) -> str:
    """`text` with every key of the environment, and all that looks like a key, left out."""
    return _KEY.sub(MASK, without_secrets(text))
