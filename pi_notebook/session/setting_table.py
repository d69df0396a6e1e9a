"""Every setting there is, in the order they are listed."""

from __future__ import annotations

from pi_notebook.context.compaction.numbers import KEEP_RECENT_TOKENS, RESERVE_TOKENS
from pi_notebook.context.policies import POLICIES
from pi_notebook.context.policies.own_numbers import own_numbers
from pi_notebook.session.permissions import MODES, VERDICTS
from pi_notebook.session.setting import Setting
from pi_notebook.session.syncing import SYNC_POLICIES
from pi_notebook.skills.index import MAX_CHARS as MAX_INDEX_CHARS
from pi_notebook.skills.instructions import InstructionLimits
from pi_notebook.tools import default_tools
from pi_notebook.tools.notebook_cells import notebook_tools


def permission_setting(tool: str) -> Setting:
    """The person's word on one tool."""
    return Setting(
        name=f"permissions.{tool}",
        kind="text",
        default=None,
        choices=VERDICTS,
        is_optional=True,
        from_project=False,
        meaning=f"whether {tool} may run, whatever the mode says; none leaves it to the mode",
    )


SETTINGS = (
    Setting(
        name="model",
        kind="text",
        default="offline",
        variable="PI_NOTEBOOK_MODEL",
        from_project=False,
        meaning="the model that is asked: offline, or provider/name as litellm knows it",
    ),
    Setting(
        name="fallback_models",
        kind="text",
        default=None,
        is_optional=True,
        from_project=False,
        meaning="who answers for the rest of a run when the model is unavailable: names, commas between",
    ),
    Setting(
        name="policy",
        kind="text",
        default="notebook",
        choices=tuple(POLICIES),
        variable="PI_NOTEBOOK_POLICY",
        meaning="how the context is kept within the model's window",
    ),
    Setting(
        name="mode",
        kind="text",
        default="ask",
        choices=MODES,
        variable="PI_NOTEBOOK_MODE",
        from_project=False,
        meaning="which tool calls run without a question",
    ),
    Setting(
        name="context_window",
        kind="integer",
        default=None,
        minimum=1000,
        is_optional=True,
        meaning="tokens of request and reply together, instead of what is known of the model",
    ),
    Setting(
        name="thinking",
        kind="text",
        default="off",
        choices=("off", "minimal", "low", "medium", "high", "xhigh"),
        meaning="how much the model thinks before it answers, where it can",
    ),
    Setting(
        name="max_turns",
        kind="integer",
        default=None,
        minimum=1,
        is_optional=True,
        meaning="replies of the model in one run before it is stopped",
    ),
    Setting(
        name="budget.tool_calls",
        kind="integer",
        default=50,
        minimum=1,
        is_optional=True,
        from_project=False,
        meaning="tool calls in one run before it is ended; %agent continue goes on",
    ),
    Setting(
        name="budget.same_calls",
        kind="integer",
        default=10,
        minimum=1,
        is_optional=True,
        from_project=False,
        meaning="how often in a row one run may make the very same call",
    ),
    Setting(
        name="budget.tokens",
        kind="integer",
        default=None,
        minimum=1,
        is_optional=True,
        from_project=False,
        meaning="tokens of all requests and replies of one run before no more is sent",
    ),
    Setting(
        name="budget.cost",
        kind="number",
        default=None,
        minimum=0,
        is_optional=True,
        from_project=False,
        meaning="US dollars that one run may cost before no more is sent, where the price is known",
    ),
    Setting(
        name="budget.seconds",
        kind="number",
        default=None,
        minimum=1,
        is_optional=True,
        from_project=False,
        meaning="how long one run may take before it is stopped",
    ),
    Setting(name="stream", kind="flag", default=True, meaning="show an answer while it is written"),
    Setting(
        name="tools.execution",
        kind="text",
        default="parallel",
        choices=("parallel", "sequential"),
        meaning="whether the tool calls of one reply may run at the same time",
    ),
    Setting(
        name="output.max_lines",
        kind="integer",
        default=2000,
        minimum=1,
        meaning="lines of a tool's output that the model sees at most",
    ),
    Setting(
        name="output.max_bytes",
        kind="integer",
        default=51_200,
        minimum=1024,
        meaning="bytes of a tool's output that the model sees at most",
    ),
    Setting(
        name="cells.max_tokens",
        kind="integer",
        default=2000,
        minimum=0,
        meaning="how much of the cells you ran goes with the next prompt; 0 sends none",
    ),
    Setting(
        name="cells.rerun",
        kind="text",
        default="fork",
        choices=("fork", "append"),
        meaning="whether an %%agent cell that is run again goes on before its earlier prompt or at the end",
    ),
    Setting(
        name="instructions.max_file_chars",
        kind="integer",
        default=InstructionLimits().max_file_chars,
        minimum=200,
        meaning="characters of one AGENTS.md in the system prompt, which the first prompt of a session fixes",
    ),
    Setting(
        name="instructions.max_chars",
        kind="integer",
        default=InstructionLimits().max_chars,
        minimum=0,
        meaning="characters of all of them together, fixed likewise; 0 sends none",
    ),
    Setting(
        name="skills.max_chars",
        kind="integer",
        default=MAX_INDEX_CHARS,
        minimum=0,
        meaning="characters of the list of skills in the system prompt, fixed likewise; 0 lists none",
    ),
    Setting(
        name="code.timeout_seconds",
        kind="number",
        default=None,
        minimum=1,
        is_optional=True,
        meaning="how long one piece of code may run",
    ),
    Setting(
        name="session.sync",
        kind="text",
        default="full",
        choices=SYNC_POLICIES,
        from_project=False,
        meaning="when entries are made safe from a failure of the machine: full each one, turn once a turn",
    ),
    Setting(
        name="spill.max_call_bytes",
        kind="integer",
        default=256 * 2**20,
        minimum=0,
        meaning="bytes of one call's full output that are kept on disk at most",
    ),
    Setting(
        name="spill.max_session_bytes",
        kind="integer",
        default=2**30,
        minimum=0,
        meaning="bytes of full outputs that a session keeps on disk at most",
    ),
    Setting(
        name="spill.max_frame_bytes",
        kind="integer",
        default=2 * 2**30,
        minimum=0,
        meaning="bytes of whole dataframes that a session keeps on disk at most; the least used go first",
    ),
    Setting(
        name="compaction.enabled",
        kind="flag",
        default=True,
        meaning="whether a context that is nearly full is summarised by itself; %agent compact always does",
    ),
    Setting(
        name="compaction.reserve_tokens",
        kind="integer",
        default=RESERVE_TOKENS,
        minimum=256,
        meaning="room that is kept free for the reply, at most a quarter of the window",
    ),
    Setting(
        name="compaction.keep_recent_tokens",
        kind="integer",
        default=KEEP_RECENT_TOKENS,
        minimum=256,
        meaning="how much of the newest messages stays word for word, at most 35 % of the window",
    ),
    Setting(
        name="retry.enabled",
        kind="flag",
        default=True,
        meaning="whether a model that cannot be reached is asked again",
    ),
    Setting(
        name="retry.max_retries",
        kind="integer",
        default=3,
        minimum=0,
        meaning="how often it is asked again before the run ends",
    ),
    Setting(
        name="retry.base_delay_seconds",
        kind="number",
        default=2.0,
        minimum=0,
        meaning="the pause before it is asked again the first time; it doubles each time",
    ),
    Setting(
        name="retry.max_delay_seconds",
        kind="number",
        default=60.0,
        minimum=0,
        meaning="the longest pause; a provider that wants a longer one ends the run",
    ),
    *(
        Setting(
            name=f"{policy}.{own.name}",
            kind="flag" if isinstance(own.default, bool) else "integer",
            default=own.default,
            minimum=None if isinstance(own.default, bool) else own.minimum,
            meaning=own.meaning,
        )
        for policy, kind in POLICIES.items()
        for own in own_numbers(kind)
    ),
    *(permission_setting(tool.name) for tool in (*default_tools(), *notebook_tools())),
)
