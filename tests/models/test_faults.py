from __future__ import annotations

import inspect
import json
import time
from email.utils import formatdate
from types import SimpleNamespace

import httpx
import openai
import pytest

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
from pi_notebook.models.faults import ERROR_BY_CLASS_NAME, MAX_WORDS_CHARS, translate
from pi_notebook.models.overflow import Overflow, find_overflow
from pi_notebook.models.retry_after import find_retry_after

OVERFLOWS = [
    ("prompt is too long: 210000 tokens > 200000 maximum", 210_000, 200_000),
    (
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, lower it",
        190_000,
        200_000,
    ),
    ("Error code: 413 request_too_large: Request exceeds the maximum size", None, None),
    (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
        9_000,
        8_192,
    ),
    ("code: context_length_exceeded", None, None),
    ("Your input exceeds the context window of this model. Please adjust it.", None, None),
    (
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        1_200_000,
        1_048_576,
    ),
    ("Input is too long for requested model.", None, None),
    ("Too many input tokens", None, None),
    (
        "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
        140_000,
        131_072,
    ),
    ("Please reduce the length of the messages or completion.", None, None),
    (
        "This endpoint's maximum context length is 8192 tokens. However, you requested about 9000 tokens.",
        9_000,
        8_192,
    ),
    (
        "Prompt contains 40000 tokens, too large for a model with 32768 maximum context length",
        40_000,
        32_768,
    ),
    ("`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000", None, 4_096),
    ("too many tokens: total number of tokens in the prompt cannot exceed 4081", None, 4_081),
    ("Your request exceeded model token limit: 8192 (requested: 9001)", 9_001, 8_192),
    ("invalid params, context window exceeds limit", None, None),
    ("Prompt exceeds max length", None, None),
    ("Range of input length should be [1, 30720]", None, 30_720),
    ("prompt token count of 130000 exceeds the limit of 128000", 130_000, 128_000),
    ("Current length is 9000 while limit is 8192", 9_000, 8_192),
    ("the request exceeds the available context size, try increasing it", None, None),
    ("request (9000 tokens) exceeds the available context size (8192 tokens), try it", 9_000, 8_192),
    (
        "The number of tokens to keep from the initial prompt is greater than the context length",
        None,
        None,
    ),
    ("The decoder prompt (length 9000) is longer than the maximum model length of 8192.", 9_000, 8_192),
    ("Input is too long: prompt has 9000 tokens which exceeds model maximum of 8192", 9_000, 8_192),
    ("too large for model with 131072 maximum context length", None, 131_072),
    ("The total length of all messages is too long", None, None),
    ("ContextWindowExceededError: litellm.BadRequestError: Context Window exceeded for call", None, None),
    ("prompt too long; exceeded max context length by 1234 tokens", None, None),
    (
        "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 45000.",
        45_000,
        30_000,
    ),
    (
        "Input tokens exceed the configured limit of 64,000 tokens. Your messages resulted in 81,234 tokens.",
        81_234,
        64_000,
    ),
    ("input length and max_tokens exceed context limit: 90,500 + 16,000 > 100,000", 90_500, 100_000),
    (
        "This model's maximum context length is 65536 tokens. You requested a total of 70001 tokens",
        70_001,
        65_536,
    ),
    ("The input (9001 tokens) is longer than the model's context length (8192 tokens).", 9_001, 8_192),
    ("Input length (9001 tokens) exceeds the maximum allowed length (8191 tokens).", 9_001, 8_191),
    ("Input validation error: `inputs` must have less than 2048 tokens. Given: 3001", 3_001, 2_048),
    ("The number of input tokens 9001 exceeds 8192.", 9_001, 8_192),
    (
        "Trying to keep the first 5001 tokens when context the overflows. However, the model is loaded with "
        "context length of only 4096 tokens",
        5_001,
        4_096,
    ),
    ("Request body too large for small-model model. Max size: 8000 tokens.", None, 8_000),
    ("Context size has been exceeded.", None, None),
    ("Input token count is too large", None, None),
    ("Total tokens of image and text exceed max message tokens", None, None),
    ('{"code": "model_max_prompt_tokens_exceeded"}', None, None),
    ('{"error": {"code": "context_window_exceeded"}}', None, None),
]
NO_OVERFLOWS = [
    "Your input exceeds the limit of 50 requests per minute",
    "The number of input tokens 9000 exceeds the limit of 8000 tokens per minute for your organization",
    "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000.",
    "Too many requests. Please slow down.",
    "Invalid 'user': string too long. Expected a string with maximum length 64.",
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens.",
    "image exceeds 5 MB maximum",
    "The model `gpt-5-context` does not exist",
    "Unsupported parameter: 'max_tokens'",
    "messages.1: tool_use ids were found without tool_result blocks",
    "Internal server error",
    "",
]


class Failure(Exception):
    """A provider's failure as its client raises it."""

    def __init__(self, text, status=None, *, headers=None, body=None):
        super().__init__(text)
        self.body = body
        if status is not None:
            self.status_code = status
        if headers is not None:
            self.response = SimpleNamespace(headers=headers)


@pytest.mark.parametrize(("text", "tokens", "window"), OVERFLOWS)
def test_a_full_context_is_known_by_its_words(text, tokens, window):
    found = find_overflow(text)
    assert found is not None
    assert found.context_window == window
    assert found.tokens == tokens or tokens is None


@pytest.mark.parametrize("text", NO_OVERFLOWS)
def test_other_words_are_no_full_context(text):
    assert find_overflow(text) is None


@pytest.mark.parametrize("status", [400, 413, 422, 429, 500, None])
def test_a_full_context_is_one_under_any_status(status):
    error = translate(Failure("prompt is too long: 9 tokens > 8 maximum", status), "openai/m")
    assert isinstance(error, ContextOverflowError)
    assert (error.tokens, error.context_window) == (9, 8)


@pytest.mark.parametrize(
    ("status", "text", "kind"),
    [
        (401, "Incorrect API key provided", ModelAuthError),
        (403, "no", ModelAuthError),
        (402, "Payment required", ModelAuthError),
        (429, "You exceeded your current quota, please check your plan and billing details", ModelAuthError),
        (429, "insufficient_quota", ModelAuthError),
        (400, "Your credit balance is too low to access the API", ModelAuthError),
        (400, "API key not valid. Please pass a valid API key.", ModelAuthError),
        (404, "not here", ModelNotFoundError),
        (413, "Payload Too Large", ContextOverflowError),
        (400, "The model `gpt-9` does not exist", ModelNotFoundError),
        (400, "LLM Provider NOT provided", ModelNotFoundError),
        (400, "rejected as a result of our content management policy", ModelRefusedError),
        (403, "Your input was flagged by moderation", ModelRefusedError),
        (400, "Unsupported parameter: 'x'", ModelRequestError),
        (422, "bad schema", ModelRequestError),
        (405, "", ModelRequestError),
        (429, "Slow down", ModelUnavailableError),
        (429, "the moderation queue is full", ModelUnavailableError),
        (408, "", ModelUnavailableError),
        (409, "", ModelUnavailableError),
        (500, "boom", ModelUnavailableError),
        (502, "<html>bad gateway</html>", ModelUnavailableError),
        (503, "billing details service is down", ModelUnavailableError),
        (529, "Overloaded", ModelUnavailableError),
    ],
)
def test_status_and_words_tell_the_kind(status, text, kind):
    error = translate(Failure(text, status), "openai/m")
    assert type(error) is kind
    assert error.model == "openai/m"
    assert "openai/m" in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (400, "messages.7.content.0.image.source.base64: image exceeds 5 MB maximum: 6.1 MB > 5.0 MB"),
        (400, "At least one of the image dimensions exceed max allowed size for many-image requests"),
        (400, "Could not process image"),
        (400, "Invalid image data."),
        (400, "You uploaded an unsupported image. Please make sure it has one of these formats: png"),
        (400, "unknown variant `image_url`, expected `text`"),
        (400, "At most 4 image(s) may be provided in one request."),
        (400, "Unable to process input image. Please retry"),
        (400, "The model `gpt-9` does not support image inputs"),
        (404, "No endpoints found that support image input"),
        (415, "Too many images in request"),
        (500, "this model is missing data required for image input"),
        (None, "image: unknown format"),
    ],
)
def test_a_request_that_is_refused_for_its_pictures_is_known_by_its_words(status, text):
    assert type(translate(Failure(text, status), "openai/m")) is ModelImageError


@pytest.mark.parametrize(
    ("status", "text"),
    [
        (404, "The model gpt-image-1 does not exist"),
        (404, "Unsupported model: org/image-2"),
        (429, "Too many images per minute"),
        (401, "Invalid key for image requests"),
        (503, "image workers cannot be reached"),
        (400, "The image in your prompt cannot be shown: content policy"),
        (400, "Unsupported parameter: 'x'"),
    ],
)
def test_other_failures_that_speak_of_images_are_what_they_were(status, text):
    assert not isinstance(translate(Failure(text, status), "openai/m"), ModelImageError)


def test_a_request_of_too_many_bytes_is_told_from_one_of_too_many_tokens():
    def has_too_many_bytes(text, status):
        error = translate(Failure(text, status), "openai/m")
        assert isinstance(error, ContextOverflowError)
        return error.has_too_many_bytes

    assert has_too_many_bytes("Payload Too Large", 413)
    assert has_too_many_bytes("request_too_large: Request exceeds the maximum size", 413)
    assert not has_too_many_bytes("prompt is too long: 9 tokens > 8 maximum", 413)
    assert not has_too_many_bytes("context_length_exceeded", 400)


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (TimeoutError(), ModelUnavailableError),
        (ConnectionResetError("reset"), ModelUnavailableError),
        (httpx.RemoteProtocolError("peer closed"), ModelUnavailableError),
        (httpx.ReadTimeout("slow"), ModelUnavailableError),
        (json.JSONDecodeError("bad", "{", 0), ModelUnavailableError),
        (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "bad"), ModelUnavailableError),
        (KeyError("choices"), ModelRequestError),
    ],
)
def test_an_exception_without_a_status_is_known_by_its_class(raised, kind):
    assert type(translate(raised, "openai/m")) is kind


def test_a_failure_within_a_stream_is_known_by_what_lies_behind_it():
    outer = Failure("broke off", 503)
    outer.original_exception = Failure("prompt is too long: 9 tokens > 8 maximum", 400)
    assert isinstance(translate(outer, "m"), ContextOverflowError)
    inner = Failure("Incorrect API key provided", 401)
    outer.original_exception = inner
    assert isinstance(translate(outer, "m"), ModelAuthError)


def test_a_status_in_the_body_of_an_error_event_counts():
    assert isinstance(translate(Failure("no", body={"code": 403}), "m"), ModelAuthError)
    assert isinstance(translate(Failure("no", body={"code": "busy"}), "m"), ModelRequestError)


def test_an_error_of_ours_stays_what_it_is():
    error = ModelError("no", model="m")
    assert translate(error, "x") is error


def litellm_exceptions():
    import litellm

    return [
        item
        for _, item in inspect.getmembers(litellm.exceptions, inspect.isclass)
        if issubclass(item, Exception) and item.__module__.startswith("litellm")
    ]


def test_every_exception_class_of_litellm_is_mapped():
    classes = litellm_exceptions()
    assert len(classes) > 20
    assert [item.__name__ for item in classes if item.__name__ not in ERROR_BY_CLASS_NAME] == []


def test_every_exception_class_of_the_clients_has_a_mapped_ancestor():
    classes = [
        item
        for module in (openai, httpx)
        for _, item in inspect.getmembers(module, inspect.isclass)
        if issubclass(item, Exception) and issubclass(item, (openai.OpenAIError, httpx.TransportError))
    ]
    assert len(classes) > 20
    for item in classes:
        assert any(ancestor.__name__ in ERROR_BY_CLASS_NAME for ancestor in item.__mro__), item


def test_keys_never_appear_in_a_message(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "plain-looking-words")
    text = "Incorrect API key provided: sk-proj-abcdef123456. Header: Bearer abc.def. plain-looking-words"
    message = str(translate(Failure(text, 401), "openai/m"))
    for secret in ("abcdef123456", "abc.def", "plain-looking-words"):
        assert secret not in message


def test_the_providers_words_are_quoted_short_and_without_the_wrapping_of_clients():
    text = "litellm.BadRequestError: OpenAIException - Unknown\nparameter: 'x' " + "y" * 1000
    message = str(translate(Failure(text, 400), "openai/m"))
    assert "It said: Unknown parameter: 'x' y" in message
    assert "litellm" not in message
    assert len(message) < MAX_WORDS_CHARS + 150


def test_the_providers_words_do_not_drive_a_terminal():
    message = str(translate(Failure("no\x1b]52;c;eA==\x07 \x9b2J more", 400), "openai/m"))
    assert message.endswith("(It said: no ]52;c;eA== 2J more)")


def test_a_page_of_html_is_not_quoted():
    assert "It said" not in str(translate(Failure("<!DOCTYPE html><p>Bad gateway</p>", 502), "openai/m"))


def test_an_exhausted_quota_points_to_the_account():
    message = str(translate(Failure("insufficient_quota", 429), "openai/m"))
    assert "billing" in message


def test_a_rate_limit_says_when_to_try_again():
    error = translate(Failure("Slow down", 429, headers={"Retry-After": "7"}), "openai/m")
    assert error.retry_after_seconds == 7
    assert "Try again in 7 s." in str(error)


@pytest.mark.parametrize(
    ("headers", "text", "seconds"),
    [
        ({"retry-after": "2"}, "", 2),
        ({"retry-after": "2.5"}, "", 2.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, "", 1.5),
        ({"retry-after": "9999"}, "", 9999),
        ({"retry-after": "0"}, "", 0),
        ({"retry-after": "1e30"}, "", 604_800),
        ({"retry-after": "Fri, 01 Jan 2999 00:00:00 GMT"}, "", 604_800),
        ({}, f"Please try again in {'9' * 400} seconds", 604_800),
        ({}, "Please wait 12 seconds before the next request", 12),
        ({"retry-after": "-5"}, "", None),
        ({"retry-after": "soon"}, "", None),
        ({"retry-after": "nan"}, "", None),
        ({"retry-after": ""}, "", None),
        ({}, "Please try again in 1m30s.", 90),
        ({}, "Please try again in 250ms.", 0.25),
        ({}, "Please retry after 20 seconds.", 20),
        ({}, '{"@type": "RetryInfo", "retryDelay": "34s"}', 34),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, "", 360),
        ({"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "5"}, "", None),
        ({}, "", None),
    ],
)
def test_the_time_to_wait_is_read_however_it_is_said(headers, text, seconds):
    assert find_retry_after(headers, text) == seconds


def test_the_time_to_wait_may_be_a_date():
    assert find_retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "") == 0
    in_a_minute = formatdate(time.time() + 60, usegmt=True)
    assert find_retry_after({"retry-after": in_a_minute}, "") == pytest.approx(60, abs=3)


def test_an_overflow_without_numbers_is_one_all_the_same():
    assert find_overflow("context_length_exceeded") == Overflow()
