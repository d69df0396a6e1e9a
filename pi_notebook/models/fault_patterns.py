"""Words by which a provider's failure is known, whatever its status and class are.

Collected from the error texts of providers and servers; those of a full context are in `overflow`.
"""

from __future__ import annotations

import re

QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credits?|funds)|exceeded your current quota|credit balance is too low|"
    r"(?:quota|credits?|budget) (?:is |are |has been |have been )?(?:exhausted|exceeded|used up|depleted)|"
    r"out of credits|billing (?:details|hard limit|not active)|payment required|spending limit|"
    r"requires more credits|usage limit reached",
    re.IGNORECASE,
)
REFUSAL = re.compile(
    r"content[_ ](?:policy|filter|management)|safety (?:system|settings|reasons)|responsible ai|"
    r"flagged (?:by|as|for)|moderation|prohibited[_ ]content|PROMPT_FEEDBACK|data_inspection_failed",
    re.IGNORECASE,
)
IMAGE = re.compile(
    r"\bimage_url\b|"
    r"(?<![\w/-])images?(?![\w-]).{0,80}(?:exceed|too (?:large|many|big|small)|maximum|at most|invalid|"
    r"unsupported|not (?:be )?(?:supported|allowed|valid|accepted|processed|available|a valid)|corrupt|"
    r"could not|cannot|can't|unable|failed|does not|format|input)|"
    r"(?:too many|exceed\w*|unsupported|invalid|could not|cannot|can't|unable to|failed to|"
    r"not (?:support|accept|allow|process|have)|support(?:s|ing)?|at most \d+|more than \d+)"
    r".{0,40}(?<![\w/-])images?(?![\w-])",
    re.IGNORECASE | re.DOTALL,
)
"""What only a request with pictures is answered with, whatever the model is called."""
NO_MODEL = re.compile(
    r"model[_ ]not[_ ]found|model .{0,80}(?:does not exist|not found|is not available|not supported)|"
    r"(?:unknown|invalid|no such) model|not a valid model|LLM Provider NOT provided|no endpoints found",
    re.IGNORECASE,
)
AUTH = re.compile(
    r"invalid[_ ](?:x-)?api[_ -]?key|incorrect api key|api key not valid|unauthorized|"
    r"authentication[_ ](?:error|failed)|no api key|missing.{0,20}api key|permission denied",
    re.IGNORECASE,
)
