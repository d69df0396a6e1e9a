"""The agent core: messages, tools, turns and events. It knows no notebook, no file and no network.

Read `protocols`, `tools` and `hooks` for the contracts, `loop` for the order of things.
"""

from pi_notebook.agent.agent import Agent
from pi_notebook.agent.hooks import Hooks, ToolCallDecision
from pi_notebook.agent.tools import Tool, ToolContext, ToolError, ToolResult, tool

__all__ = ["Agent", "Hooks", "Tool", "ToolCallDecision", "ToolContext", "ToolError", "ToolResult", "tool"]
